/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * request.h - read parts of a traceset for several viewers in as few passes as possible
 *
 * A viewer asks for events from a start to an end and gets exactly these, whichever other requests
 * share the pass. Work is done in chunks. Between chunks, the program can do other things, seek in
 * the traceset, add requests and remove them:
 *
 *   ktrace_service_add(service, &request);
 *   while (ktrace_service_run(service, 6000) == 1)
 *           ...
 *
 * A pass begins at the earliest start; requests with a later start join it when it gets there.
 * Background requests, such as computations in advance, are served when there are no others, and
 * resume where they were interrupted.
 */
#ifndef KTRACE_REQUEST_H
#define KTRACE_REQUEST_H

#include <ktrace/hooks.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct ktrace_request - a part of a traceset that a viewer wants; begin with KTRACE_REQUEST_INIT
 * @size:	sizeof(struct ktrace_request)
 * @owner:	owner, for ktrace_service_remove()
 * @start:	from the first event at this time or later, or
 * @start_position: from here, if it is set
 * @until:	where to stop
 * @hooks:	EVENT hooks are called for the events of the request; BEFORE and AFTER hooks around
 *		each chunk that serves it. Must not be freed while the request is pending
 * @before:	called once before the first event, may be NULL
 * @after:	called once after the last event, with the reason or -errno, may be NULL
 * @arg:	for both
 * @is_background: serve it only if no other request is pending. If another pending request has the
 *		same @hooks, this one is not served itself: its @after is called with the other's
 *
 * The positions are copied. Of @until, only the limits are used.
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
 * ktrace_service_new - create a service for @set, which stays the caller's
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_service_new(struct ktrace_traceset *set, struct ktrace_service **out);

/** ktrace_service_free - free it without calling any hook; NULL is allowed */
void ktrace_service_free(struct ktrace_service *service);

/**
 * ktrace_service_add - add a request
 *
 * Hooks may call this too. Events before the current position of the pass are left to the next
 * pass.
 *
 * Return: 0, -EINVAL for an invalid request, -ENOMEM.
 */
int ktrace_service_add(struct ktrace_service *service, const struct ktrace_request *request);

/** ktrace_service_remove - drop all requests of an owner without calling them again */
void ktrace_service_remove(struct ktrace_service *service, const void *owner);

/** ktrace_service_pending - count the pending requests of an owner; NULL: of all owners */
size_t ktrace_service_pending(const struct ktrace_service *service, const void *owner);

/**
 * ktrace_service_run - do some work
 * @service:	the service
 * @max:	read at most so many events
 *
 * Return: 1 if there is more to do, 0 if all are served, -ENOMEM.
 */
int ktrace_service_run(struct ktrace_service *service, __u64 max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
