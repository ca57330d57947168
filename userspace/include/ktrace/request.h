/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * request.h - several viewers read a traceset, each its own part, in as few passes as possible
 *
 * A viewer asks for events from a start to an end; it gets exactly these, whoever else is
 * served with them. Work is done in chunks, between which the program can do other things,
 * move the traceset, add requests and remove them:
 *
 *   ktrace_service_add(service, &request);
 *   while (ktrace_service_run(service, 6000) == 1)
 *           ...
 *
 * A pass begins at the earliest start; requests that start further on join it when it gets
 * there. Background requests, such as those that compute something for later, are served
 * when there are no others, and go on where they were interrupted.
 */
#ifndef KTRACE_REQUEST_H
#define KTRACE_REQUEST_H

#include <ktrace/hooks.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct ktrace_request - a part that a viewer wants; begin with KTRACE_REQUEST_INIT
 * @size:	sizeof(struct ktrace_request)
 * @owner:	whose it is, for removal
 * @start:	from the first event at this time or later, or
 * @start_position: from here, if it is set
 * @until:	how far
 * @hooks:	those for events are called for events of the request; those BEFORE and AFTER
 *		around each chunk that serves it. Not to be freed while the request is pending
 * @before:	called once before the first event, may be NULL
 * @after:	called once behind the last, with the reason or -errno, may be NULL
 * @arg:	for both
 * @is_background: serve it when there is nothing else. One with the same @hooks as another
 *		that is pending is not served itself: @after is called with the other's
 *
 * The positions are copied. Of @until, the limits count.
 */
struct ktrace_request {
	size_t size;
	void *owner;
	__u64 start;
	const struct ktrace_position *start_position;
	struct ktrace_until until;
	struct ktrace_hooks *hooks;
	void (*before)(void *arg);
	void (*after)(void *arg, int stop);
	void *arg;
	bool is_background;
};

#define KTRACE_REQUEST_INIT { .size = sizeof(struct ktrace_request), .until = KTRACE_UNTIL_INIT }

struct ktrace_service;

/**
 * ktrace_service_new - serves requests for @set, which stays the caller's
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_service_new(struct ktrace_traceset *set, struct ktrace_service **out);

/** ktrace_service_free - nobody is called any more; NULL is allowed */
void ktrace_service_free(struct ktrace_service *service);

/**
 * ktrace_service_add - ask for a part
 *
 * May be called by hooks, too; what is before the place of the pass is for the next one.
 *
 * Return: 0, -EINVAL for what cannot be, -ENOMEM.
 */
int ktrace_service_add(struct ktrace_service *service, const struct ktrace_request *request);

/** ktrace_service_remove - forget all requests of an owner: nothing is called for them any more */
void ktrace_service_remove(struct ktrace_service *service, const void *owner);

/** ktrace_service_pending - number of requests of an owner, NULL: of all */
size_t ktrace_service_pending(const struct ktrace_service *service, const void *owner);

/**
 * ktrace_service_run - do some work
 * @service:	the service
 * @max:	read so many events at most
 *
 * Return: 1 there is more to do, 0 all are served, -ENOMEM.
 */
int ktrace_service_run(struct ktrace_service *service, __u64 max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
