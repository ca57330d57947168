// SPDX-License-Identifier: MIT
/*
 * readers.c - two readers of a recording, served together
 *
 * A window wants the first events that match a pattern, at once; a summary counts all events when
 * nobody else waits. Neither knows of the other:
 *
 *   ktraced -o recording build/examples/hello
 *   build/examples/readers 'hello:*' recording
 */
#include <stdio.h>
#include <ktrace/request.h>

#define SHOWN 5u
#define CHUNK 1000	/* events to read before the program may do other things */

/* 1: this reader has seen enough. */
static int show(void *arg, const struct ktrace_hook_call *call)
{
	unsigned int *shown = arg;

	printf("%s by thread %u\n", call->event->type->full_name, call->event->tid);
	return ++*shown == SHOWN;
}

static int count(void *arg, const struct ktrace_hook_call *call)
{
	unsigned long long *events = arg;

	*events += call->event->id != KTRACE_ID_LOST;
	return 0;
}

static void print_count(void *arg, int stop)
{
	const unsigned long long *events = arg;

	if (stop > 0)
		printf("%llu events in all\n", *events);
}

/* Hands over a request for all of the recording. Return: its hooks, NULL = no memory. */
static struct ktrace_hooks *add(struct ktrace_service *service, struct ktrace_request *request,
				const char *pattern, ktrace_hook_fn fn)
{
	const struct ktrace_hook hook = {
		.size = sizeof(hook), .point = KTRACE_HOOK_EVENT, .event = pattern,
		.priority = KTRACE_PRIORITY_DEFAULT, .fn = fn, .arg = request->arg,
	};
	struct ktrace_hooks *hooks;

	if (ktrace_hooks_new(&hooks))
		return NULL;
	request->hooks = hooks;
	if (!ktrace_hooks_add(hooks, &hook) && !ktrace_service_add(service, request))
		return hooks;
	ktrace_hooks_free(hooks);
	return NULL;
}

static int serve(struct ktrace_service *service, const char *pattern)
{
	unsigned long long events = 0;
	unsigned int shown = 0;
	struct ktrace_request window = KTRACE_REQUEST_INIT, summary = KTRACE_REQUEST_INIT;
	struct ktrace_hooks *few, *all;
	int more = -1;

	window.arg = &shown;
	summary.arg = &events;
	summary.after = print_count;
	summary.is_background = true;
	all = add(service, &summary, NULL, count);
	few = add(service, &window, pattern, show);
	if (all && few)
		while ((more = ktrace_service_run(service, CHUNK)) == 1)
			;	/* A program with a window would answer its user here. */
	ktrace_hooks_free(all);
	ktrace_hooks_free(few);
	return more;
}

int main(int argc, char **argv)
{
	struct ktrace_service *service = NULL;
	struct ktrace_traceset *set;
	int error;

	if (argc != 3) {
		fprintf(stderr, "usage: readers PATTERN FILE\n");
		return 2;
	}
	if (ktrace_traceset_open(NULL, &set))
		return 1;
	error = ktrace_traceset_add(set, argv[2]);
	if (!error)
		error = ktrace_service_new(set, &service);
	if (!error)
		error = serve(service, argv[1]);
	ktrace_service_free(service);
	ktrace_traceset_close(set);
	return error ? 1 : 0;
}
