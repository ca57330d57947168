// SPDX-License-Identifier: GPL-2.0
/* cmd_list.c - ktrace list: one line an event */
#include "viewer.h"

#include "select.h"
#include "when.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum time_format { TIME_REL, TIME_WALL, TIME_RAW, TIME_DELTA, TIME_NR };

static const char *const time_formats[TIME_NR] = {
	[TIME_REL] = "rel", [TIME_WALL] = "wall", [TIME_RAW] = "raw", [TIME_DELTA] = "delta",
};

#define READ_NR 64
#define COMM_MAX 16
#define SAME_NR 64u	/* a power of two */

/**
 * struct same - the middle of a line, which is the same for many: see put_middle()
 * @stream:	where the event comes from; NULL = nothing yet
 * @type:	its type
 * @tid:	its thread
 * @pid:	the thread's process
 * @comm:	the thread's name; empty: not known
 * @len:	bytes of @text
 * @text:	the middle
 */
struct same {
	const struct ktrace_trace_stream *stream;
	const struct ktrace_event_type *type;
	__u32 tid;
	__u32 pid;
	char comm[COMM_MAX];
	__u32 len;
	char text[128];
};

/**
 * struct list - one run of the command
 * @out:	where to
 * @set:	what is read
 * @select:	which events
 * @since:	first time to show
 * @until:	first time not to show
 * @time:	how to show times
 * @is_json:	one object a line
 * @left:	lines that may still be printed
 * @start:	time of the first event of all
 * @before:	time of the line before
 * @same:	middles of lines
 */
struct list {
	struct ktrace_out *out;
	struct ktrace_traceset *set;
	struct select select;
	struct when since;
	struct when until;
	enum time_format time;
	bool is_json;
	__u64 left;
	__u64 start;
	__u64 before;
	struct same same[SAME_NR];
};

static const struct {
	__u32 flag;
	const char *name;
} flag_names[] = {
	{ KTRACE_EVENT_TRUNCATED, "truncated" },
	{ KTRACE_EVENT_INCOMPLETE, "incomplete" },
	{ KTRACE_EVENT_NO_START, "no-start" },
	{ KTRACE_EVENT_IRQ, "irq" },
	{ KTRACE_EVENT_CRITICAL, "critical" },
	{ KTRACE_EVENT_BACKWARDS, "backwards" },
};

#define FLAG_NR (sizeof(flag_names) / sizeof(flag_names[0]))

static __u64 since(__u64 time, __u64 start)
{
	return time > start ? time - start : 0;
}

static void put_time(struct list *l, const struct ktrace_trace_event *e)
{
	switch (l->time) {
	case TIME_WALL:
		out_date(l->out, ktrace_trace_wall(e->stream->trace, e->raw));
		break;
	case TIME_RAW:
		ktrace_out_u64(l->out, e->raw);
		break;
	case TIME_DELTA:
		ktrace_out_char(l->out, '+');
		out_seconds(l->out, since(e->time, l->before), 13);
		break;
	default:
		out_seconds(l->out, since(e->time, l->start), 15);
		break;
	}
}

static void put_cpu(struct ktrace_out *out, __s32 cpu)
{
	ktrace_out_str(out, " [");
	if (cpu < 0)
		ktrace_out_str(out, "---");
	else
		ktrace_out_dec(out, (__u64)cpu, 3);
	ktrace_out_str(out, "] ");
}

static void put_thread(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 pid,
		       const char *comm)
{
	size_t from = out->len;

	if (e->id == KTRACE_ID_LOST) {
		ktrace_out_str(out, "-/- -");
	} else if (!e->tid) {
		ktrace_out_str(out, "0/0 swapper");
	} else {
		if (pid)
			ktrace_out_u64(out, pid);
		else
			ktrace_out_char(out, '-');
		ktrace_out_char(out, '/');
		ktrace_out_u64(out, e->tid);
		ktrace_out_char(out, ' ');
		ktrace_out_safe(out, *comm ? comm : "?");
	}
	ktrace_out_char(out, ' ');
	ktrace_out_pad(out, from, 26);
}

/* Keeps the text from @from on for events like @e. */
static void keep(struct same *same, const struct ktrace_out *out, size_t from,
		 const struct ktrace_trace_event *e)
{
	if (out->error || out->len < from || out->len - from > sizeof(same->text) || !e->type)
		return;
	same->stream = e->stream;
	same->type = e->type;
	same->tid = e->tid;
	same->len = (__u32)(out->len - from);
	memcpy(same->text, out->buf + from, same->len);
}

/* From the time to the fields: number of the file, CPU, thread, name of the event. */
static void put_middle(struct list *l, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	struct same *same = &l->same[(e->tid + e->stream->id * 7 + e->id * 31) % SAME_NR];
	const char *comm = ktrace_trace_comm(trace, e->tid, e->raw);
	__u32 pid = ktrace_trace_pid(trace, e->tid, e->raw);
	struct ktrace_out *out = l->out;
	size_t from = out->len;

	comm = comm ? comm : "";
	if (same->stream == e->stream && same->type == e->type && same->tid == e->tid &&
	    same->pid == pid && !strcmp(same->comm, comm)) {
		ktrace_out_bytes(out, same->text, same->len);
		return;
	}
	same->stream = NULL;
	same->pid = pid;
	snprintf(same->comm, sizeof(same->comm), "%s", comm);
	if (ktrace_traceset_trace(l->set, 1)) {
		ktrace_out_str(out, " #");
		ktrace_out_u64(out, ktrace_trace_index(trace));
	}
	put_cpu(out, e->stream->cpu);
	put_thread(out, e, pid, comm);
	out_event_name(out, e);
	keep(same, out, from, e);
}

static void put_bytes(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	__u32 i;

	for (i = 0; i < e->len && !out->error; i++)
		ktrace_out_hex(out, (unsigned char)e->payload[i], 2);
}

static void put_text(struct list *l, const struct ktrace_trace_event *e)
{
	struct ktrace_out *out = l->out;
	bool is_cut = false;
	size_t i;

	put_time(l, e);
	put_middle(l, e);
	if (e->type && !(e->flags & KTRACE_EVENT_NO_START)) {
		is_cut = ktrace_fields_text(out, e->type, e->payload, e->len);
	} else {
		ktrace_out_str(out, " bytes=");
		put_bytes(out, e);
	}
	for (i = 0; e->flags && i < FLAG_NR; i++) {
		if (!(e->flags & flag_names[i].flag))
			continue;
		ktrace_out_str(out, " (");
		ktrace_out_str(out, flag_names[i].name);
		ktrace_out_char(out, ')');
	}
	if (is_cut && !(e->flags & (KTRACE_EVENT_TRUNCATED | KTRACE_EVENT_INCOMPLETE)))
		ktrace_out_str(out, " (short)");
	ktrace_out_char(out, '\n');
}

static void put_key(struct ktrace_out *out, const char *key)
{
	ktrace_out_str(out, ",\"");
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
}

static void put_key_u64(struct ktrace_out *out, const char *key, __u64 value)
{
	put_key(out, key);
	ktrace_out_u64(out, value);
}

static void put_json_thread(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	const char *comm = ktrace_trace_comm(trace, e->tid, e->raw);
	__u32 pid = ktrace_trace_pid(trace, e->tid, e->raw);

	if (e->id == KTRACE_ID_LOST)
		return;
	if (!e->tid)
		comm = "swapper";
	if (pid || !e->tid)
		put_key_u64(out, "pid", pid);
	put_key_u64(out, "tid", e->tid);
	if (comm) {
		put_key(out, "comm");
		ktrace_out_json(out, comm, strlen(comm));
	}
}

static void put_json_fields(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;
	char comma = '{';

	put_key(out, "fields");
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		ktrace_out_char(out, comma);
		ktrace_out_char(out, '"');
		ktrace_out_str(out, v.field->name);
		ktrace_out_str(out, "\":");
		ktrace_value_json(out, &v);
		comma = ',';
	}
	ktrace_out_str(out, comma == '{' ? "{}" : "}");
}

static void put_json_flags(struct ktrace_out *out, __u32 flags)
{
	char comma = '[';
	size_t i;

	if (!flags)
		return;
	put_key(out, "flags");
	for (i = 0; i < FLAG_NR; i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		ktrace_out_char(out, comma);
		ktrace_out_quoted(out, flag_names[i].name, strlen(flag_names[i].name));
		comma = ',';
	}
	ktrace_out_char(out, ']');
}

static void put_json(struct list *l, const struct ktrace_trace_event *e)
{
	struct ktrace_out *out = l->out;

	ktrace_out_str(out, "{\"time\":\"");
	out_seconds(out, e->time, 0);
	ktrace_out_char(out, '"');
	put_key_u64(out, "ns", since(e->time, l->start));
	put_key_u64(out, "raw", e->raw);
	put_key_u64(out, "trace", ktrace_trace_index(e->stream->trace));
	put_key_u64(out, "stream", e->stream->id);
	if (e->stream->cpu >= 0)
		put_key_u64(out, "cpu", (__u64)e->stream->cpu);
	put_json_thread(out, e);
	ktrace_out_str(out, ",\"event\":\"");
	out_event_name(out, e);
	ktrace_out_char(out, '"');
	put_json_flags(out, e->flags);
	if (e->type && !(e->flags & KTRACE_EVENT_NO_START)) {
		put_json_fields(out, e);
	} else {
		ktrace_out_str(out, ",\"bytes\":\"");
		put_bytes(out, e);
		ktrace_out_char(out, '"');
	}
	ktrace_out_str(out, "}\n");
}

/* Prints an event if it is wanted. */
static void put_event(struct list *l, const struct ktrace_trace_event *e)
{
	if (select_has_conditions(&l->select) && !select_event(&l->select, e))
		return;
	output_line_begin(l->out);
	if (l->is_json)
		put_json(l, e);
	else
		put_text(l, e);
	l->before = e->time;
	l->left--;
}

/* Prints the events. Return: 0, -errno. */
static int print_all(struct list *l)
{
	struct ktrace_trace_event events[READ_NR];
	__u64 end, until;
	int i, nr, ret = ktrace_traceset_span(l->set, &l->start, &end);

	until = l->until.is_set ? when_absolute(&l->until, l->start) : ~0ull;
	if (!ret && l->since.is_set)
		ret = ktrace_traceset_seek(l->set, when_absolute(&l->since, l->start));
	l->before = l->start;
	if (ret)
		return ret;
	while (l->left && !l->out->error) {
		nr = ktrace_traceset_read(l->set, events, READ_NR);
		for (i = 0; i < nr && l->left; i++) {
			if (l->until.is_set && events[i].time >= until)
				return 0;
			put_event(l, &events[i]);
		}
		if (nr <= 0)
			return nr;
	}
	return 0;
}

static int list_files(struct list *l, int nr, char **paths)
{
	int status, ret;

	l->set = open_files(nr, paths, &status);
	if (!l->set)
		return status;
	l->out = output();
	ret = print_all(l);
	if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	select_complain(&l->select, l->set);
	status = ret ? STATUS_DAMAGED : files_status(l->set, status);
	ktrace_traceset_close(l->set);
	return output_end(status);
}

static bool parse_time_format(const char *text, enum time_format *format)
{
	int i;

	for (i = 0; i < TIME_NR; i++)
		if (!strcmp(text, time_formats[i])) {
			*format = (enum time_format)i;
			return true;
		}
	return false;
}

static bool parse_count(const char *text, __u64 *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Takes one option in. Returns what is wrong with its value, NULL = nothing. */
static const char *take_option(struct list *l, int option)
{
	switch (option) {
	case 'j':
		l->is_json = true;
		return NULL;
	case 's':
		return when_parse(optarg, &l->since) ? NULL :
		       "--since: not a time such as 1.5, 20ms or 2026-01-31T12:00";
	case 'u':
		return when_parse(optarg, &l->until) ? NULL :
		       "--until: not a time such as 1.5, 20ms or 2026-01-31T12:00";
	case 'e':
		return select_add_globs(&l->select, optarg);
	case 'p':
		return select_add_pids(&l->select, optarg);
	case 't':
		return parse_time_format(optarg, &l->time) ? NULL :
		       "--time: must be rel, wall, raw or delta";
	default:
		return parse_count(optarg, &l->left) ? NULL : "-n: not a number";
	}
}

static const struct option options[] = {
	{ "json", no_argument, NULL, 'j' },
	{ "since", required_argument, NULL, 's' },
	{ "until", required_argument, NULL, 'u' },
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "time", required_argument, NULL, 't' },
	{ "number", required_argument, NULL, 'n' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct list l = { .left = ~0ull };
	const char *wrong;
	int option, status;

	while ((option = getopt_long(argc, argv, "e:n:p:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			select_free(&l.select);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&l, option);
		if (wrong) {
			select_free(&l.select);
			return command_usage(cmd, wrong);
		}
	}
	if (optind == argc)
		status = command_usage(cmd, "no file");
	else
		status = list_files(&l, argc - optind, argv + optind);
	select_free(&l.select);
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.args = "[OPTION...] FILE...",
	.summary = "Print the events of all files in order of time",
	.help =
"  --since TIME       from TIME on\n"
"  --until TIME       up to TIME, TIME itself not included\n"
"  -e, --event GLOB[,GLOB...]  only events whose provider:name matches; a glob without\n"
"                     colon is a provider or family and stands for all its events\n"
"  -p, --pid N[,N...]  only these processes and threads\n"
"  -n, --number N     stop after N events\n"
"  --time FORMAT      rel (seconds since the first event, default), wall, raw, delta\n"
"  --json             one JSON object a line\n"
"  --help, --version\n"
"\n"
"TIME: 12.5 or 12.5s, 3ms, 200us, 7ns since the first event; 2026-01-31T12:00:00.5\n"
"local time, with Z behind it UTC; @SECONDS since the epoch.\n"
"\n"
"A line has: time, #file if there are several, [cpu], pid/tid (-/tid where the process\n"
"is not known, as for kernel threads), name of the thread (? where not known), event,\n"
"fields, and in parentheses what is special: irq (recorded in interrupt context),\n"
"truncated, incomplete (fragments are missing), no-start, critical, backwards (stamp\n"
"below its predecessor's), short (fewer bytes than described). Lost events are shown\n"
"where they were lost as ktrace:lost.\n"
"\n"
"JSON members, in this order; those in brackets may be missing: time (string, seconds\n"
"since the epoch), ns (since the first event), raw (stamp), trace (number of the file),\n"
"stream, [cpu], [pid], [tid], [comm], event, [flags], then fields, an object, or bytes,\n"
"a string of hexadecimal digits, if the event is not described. Values: integers are\n"
"numbers, hexadecimal types and pointers strings \"0x...\", enums their name or else a\n"
"number, floats a number or null, char arrays and strings are strings, arrays arrays.\n",
	.run = run,
};
