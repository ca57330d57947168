// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_options.c - command lines, times, sizes, lists of events and of processes
 *
 * The input is a command line, words separated by NULs. Options that ktraced accepts give
 * rings that can be; a list of events means the same for kernel events (fnmatch(3)) and for
 * what the filter made of it means to libktrace; a time that ktrace accepts can be written
 * down and means the same then.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdarg.h>
#include <errno.h>

#include "fuzz.h"

#include "../../userspace/daemon/base/log.h"
#include "../../userspace/daemon/options.h"
#include "../../userspace/daemon/events/select.h"
#include "../../userspace/lib/session/layout.h"
#include "../../userspace/lib/base/glob_list.h"
#include "../../userspace/viewer/events/event_select.h"
#include "../../userspace/viewer/base/when.h"
#include "ring/ring.h"

#define WORDS_MAX 16

void log_set_quiet(bool quiet)
{
	(void)quiet;
}

void log_note(const char *format, ...)
{
	(void)format;
}

void log_error(const char *format, ...)
{
	char line[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
}

int log_output_end(int status)
{
	return status;
}

/* Rings of such sizes can be made. */
static void check_options(const struct options *o)
{
	struct ktrace_control c = {
		.ring_nr = 4 + o->thread_nr, .cpu_nr = 4, .block_size = o->block_size,
		.policy = o->policy, .ring_size = o->ring_size, .thread_size = o->thread_size,
		.registry_size = 4u << 20, .id_nr = KTRACE_ID_NR,
		.filter_size = KTRACE_FILTER_SIZE,
	};
	unsigned int i;

	REQUIRE(!o->output || *o->output);
	REQUIRE(!layout_compute(&c) && !layout_check(&c, c.map_size));
	REQUIRE(kt_ring_geometry_ok(o->ring_size, o->block_size));
	REQUIRE(o->pid_nr <= OPTIONS_PID_MAX);
	for (i = 0; i < o->pid_nr; i++)
		REQUIRE(o->pids[i] > 0);
	REQUIRE(!o->argv || *o->argv);
}

/* Globs without classes, escapes, blanks and expressions mean the same to everybody. */
static bool is_plain(const char *s)
{
	return !s[strcspn(s, "[\\{ ")];
}

static bool matches_list(const char *list, const char *provider, const char *full)
{
	char *copy = strdup(list), *rest = copy, *glob;
	bool matches = false;

	REQUIRE(copy);
	while ((glob = strsep(&rest, ",")))
		matches |= *glob && !fnmatch(glob, strchr(glob, ':') ? full : provider, 0);
	free(copy);
	return matches;
}

static void check_filter(const char *list)
{
	static const char *const names[][2] = {
		{ "demo", "demo:work" }, { "sched", "sched:switch" }, { "a", "a:b" },
		{ "log", "log:event" }, { "x", "x:" },
	};
	const struct choice choice = { .events = list };
	char filter[KTRACE_FILTER_SIZE];
	bool wants = select_wants_kernel(list);
	size_t i;
	int ret = select_filter(&choice, filter);

	REQUIRE(!ret || ret == -ENAMETOOLONG);
	if (ret)
		return;
	REQUIRE(strlen(filter) < sizeof(filter));
	REQUIRE(strlen(filter) <= 4 * strlen(list) + sizeof(SELECT_MARK));
	if (!is_plain(list) || !list[strspn(list, ",")])
		return;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		REQUIRE(glob_list_matches(filter, sizeof(filter), names[i][1],
					  strlen(names[i][1])) ==
			matches_list(list, names[i][0], names[i][1]));
	REQUIRE(wants || !matches_list(list, "sched", "sched:switch"));
}

static void check_when(const char *text)
{
	char buf[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = buf, .cap = KTRACE_OUT_MIN };
	struct when w = { 0 }, again = { 0 };
	__u64 from, to;

	if (!when_parse(text, &w))
		return;
	when_window(&w, &w, 1000, &from, &to);
	REQUIRE(to == ktrace_when_absolute(&w.at, 1000) && !when_wrong(&w, &w));
	REQUIRE(from == (to > 1000 ? to : 1000));
	if (!w.at.is_relative)
		ktrace_out_char(&out, '@');
	out_seconds(&out, w.at.ns, 0);
	buf[out.len] = '\0';
	REQUIRE(when_parse(buf, &again));
	REQUIRE(again.at.ns == w.at.ns && again.at.is_relative == w.at.is_relative);
	out.len = 0;
	out_date(&out, w.at.ns);
	REQUIRE(out.len >= strlen("1970-01-01T00:00:00.000000000"));
}

static void check_select(const char *text)
{
	struct event_select *s = calloc(1, sizeof(*s));
	const char *wrong;

	REQUIRE(s);
	wrong = event_select_add_globs(s, text);
	REQUIRE(!wrong && s->glob_nr >= 1);
	wrong = event_select_add_pids(s, text);
	REQUIRE(!wrong == (s->pid_nr && !text[strspn(text, "0123456789,")] && !wrong));
	event_select_free(s);
	free(s);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	opterr = 0;
	setenv("TZ", "Europe/Berlin", 1);
	return freopen("/dev/null", "w", stdout) ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	char *words[WORDS_MAX + 2], *argv[WORDS_MAX + 2];
	struct options o;
	int nr = 1, i;

	words[0] = strdup("ktraced");
	while (input_left(&in) && nr <= WORDS_MAX)
		words[nr++] = input_string(&in);
	words[nr] = NULL;
	for (i = 1; i < nr; i++) {
		check_filter(words[i]);
		check_when(words[i]);
		check_select(words[i]);
	}
	memcpy(argv, words, sizeof(argv));
	optind = 0;
	if (options_parse(&o, nr, argv) < 0 && !o.is_recover)
		check_options(&o);
	for (i = 0; i < nr; i++)
		free(words[i]);
	return 0;
}
