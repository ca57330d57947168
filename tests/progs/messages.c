// SPDX-License-Identifier: GPL-2.0
/*
 * messages.c - lists the messages between the hosts of tracefiles
 * usage: messages FILE...
 *
 * A line for each: kind, numbers of the files, ns from the one end to the other by the files' times;
 * then what became of all packets.
 */
#include <ktrace/messages.h>
#include <stdio.h>

static void print(void *arg, const struct ktrace_message *m)
{
	static const char *const names[KTRACE_MESSAGE_NR] = { "tcp", "udp", "broadcast" };

	(void)arg;
	printf("%s %zu %zu %lld bytes=%u%s\n", names[m->kind], ktrace_trace_index(m->from.trace),
	       ktrace_trace_index(m->to.trace), (long long)(m->to.time - m->from.time), m->bytes,
	       m->is_retransmitted ? " retransmitted" : "");
}

static void print_stats(const struct ktrace_messages *m)
{
	struct ktrace_messages_stats s;

	ktrace_messages_stats(m, &s);
#define PRINT(member) printf(" " #member "=%llu", (unsigned long long)s.member)
	printf("packets:");
	PRINT(sent);
	PRINT(received);
	PRINT(matched);
	PRINT(waiting);
	PRINT(given_up);
	PRINT(without_addresses);
	PRINT(other);
	PRINT(local);
	PRINT(passed_on);
	PRINT(retransmitted);
	PRINT(duplicate);
	PRINT(unsure);
	PRINT(ambiguous);
	PRINT(invalid);
	printf("\n");
#undef PRINT
}

int main(int argc, char **argv)
{
	struct ktrace_trace_event event;
	struct ktrace_messages *m;
	struct ktrace_traceset *set;
	int ret;

	if (ktrace_traceset_open(NULL, &set))
		return 1;
	for (int i = 1; i < argc; i++)
		if (ktrace_traceset_add(set, argv[i]))
			return 1;
	if (ktrace_messages_open(set, &m))
		return 1;
	while ((ret = ktrace_traceset_next(set, &event)) > 0)
		if (ktrace_messages_add(m, &event, print, NULL))
			return 1;
	ktrace_messages_end(m, print, NULL);
	print_stats(m);
	ktrace_messages_close(m);
	ktrace_traceset_close(set);
	return ret ? 1 : 0;
}
