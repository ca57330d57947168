/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <ktrace/traceset.h>

static void complain(void *arg, const struct ktrace_damage *d)
{
	(void)arg;
	fprintf(stderr, "%s: offset %llu: %s\n", d->path, d->offset, d->message);
}

static void look_at(const struct ktrace_trace_event *e)
{
	struct ktrace_values values;
	struct ktrace_value v;

	ktrace_values_init(&values, e->type, e->payload, e->len);
	while (ktrace_values_next(&values, &v))
		if (!strcmp(v.field->name, "degrees") && ktrace_value_f64(&v, 0) > 90)
			printf("%llu ns: thread %u works at %g degrees\n", e->time, e->tid,
			       ktrace_value_f64(&v, 0));
}

int main(int argc, char **argv)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = complain };
	struct ktrace_trace_event event;
	struct ktrace_traceset *set;

	if (ktrace_traceset_open(&opts, &set))
		return 1;
	for (int i = 1; i < argc; i++)
		ktrace_traceset_add(set, argv[i]);
	while (ktrace_traceset_next(set, &event) == 1)
		if (event.type && !strcmp(event.type->full_name, "kitchen:step"))
			look_at(&event);
	ktrace_traceset_close(set);
	return 0;
}
