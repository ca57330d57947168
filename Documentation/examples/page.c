// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <ktrace/position.h>

static int print_place(const struct ktrace_position *place)
{
	size_t size = ktrace_position_to_text(place, NULL, 0) + 1;
	char *text = malloc(size);

	if (!text)
		return 1;
	ktrace_position_to_text(place, text, size);
	puts(text);
	free(text);
	return 0;
}

/* usage: page PLACE FILE...; PLACE is k0 for the first page */
int main(int argc, char **argv)
{
	struct ktrace_until until = KTRACE_UNTIL_INIT;
	struct ktrace_trace_event event;
	struct ktrace_traceset *set;
	struct ktrace_position *place;

	if (argc < 3 || ktrace_traceset_open(NULL, &set) || ktrace_position_new(&place))
		return 1;
	for (int i = 2; i < argc; i++)
		ktrace_traceset_add(set, argv[i]);
	if (ktrace_position_from_text(place, argv[1]) || ktrace_traceset_seek_position(set, place))
		return 1;
	until.count = 10;
	while (ktrace_traceset_next_until(set, &until, &event) == 1)
		printf("%llu %s\n", event.time, event.type ? event.type->full_name : "?");
	if (until.stop != KTRACE_STOP_END &&
	    (ktrace_position_save(set, place) || print_place(place)))
		return 1;
	ktrace_position_free(place);
	ktrace_traceset_close(set);
	return 0;
}
