// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_viewer.c - every command of ktrace(1) on hostile tracefiles
 *
 * The input is a file; its uuid chooses options. Commands run as from the command line,
 * only that what they write comes here. JSON output is JSON, one value a line; text is
 * clean for a terminal; both have the same number of lines, and info counts as many
 * events as list shows. What cut makes of a file without damage has none.
 */
#include <stdarg.h>

#include "output.h"
#include "sections.h"

#define OUT_MAX (32u << 20)

/**
 * struct captured - what a command has written
 * @text:	standard output
 * @len:	its bytes
 */
static struct captured {
	char *text;
	size_t len;
} captured;

static ssize_t capture(int fd, const void *data, size_t n)
{
	REQUIRE(fd == STDOUT_FILENO && captured.len + n <= OUT_MAX);
	memcpy(captured.text + captured.len, data, n);
	captured.len += n;
	return (ssize_t)n;
}

__attribute__((format(printf, 2, 3)))
static int check_complaint(FILE *to, const char *format, ...)
{
	char line[8192];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	REQUIRE(to == stderr && n >= 0 && is_clean_text(line, strlen(line)));
	return n;
}

int viewer_main(int argc, char **argv);

#define write capture
#define fprintf check_complaint
#define main viewer_main
#include "../../userspace/viewer/base/output.c"
#include "../../userspace/viewer/main.c"
#undef main
#undef fprintf
#undef write

static struct memfile file, part;

static int command(const char *name, const char *option, const char *const more[])
{
	char *argv[16] = { (char *)"ktrace", (char *)name, (char *)option };
	int argc = option ? 3 : 2, status;

	for (; more && *more; more++)
		argv[argc++] = (char *)*more;
	argv[argc++] = file.path;
	captured.len = 0;
	optind = 0;
	status = viewer_main(argc, argv);
	REQUIRE(status == STATUS_OK || status == STATUS_DAMAGED);
	return status;
}

static long count_lines(const char *text, size_t n)
{
	long nr = 0;

	while (n--)
		nr += *text++ == '\n';
	return nr;
}

static long count_losses(const char *text, size_t n)
{
	static const char lost[] = "\"event\":\"ktrace:lost\",\"fields\":{\"reason\":";
	const char *end = text + n, *at;
	long nr = 0;

	for (; (at = memmem(text, (size_t)(end - text), lost, strlen(lost))); text = at + 1)
		nr++;
	return nr;
}

/* The same events as JSON and as text. Return: how many lines. */
static long check_list(const char *const more[], const char *time)
{
	const char *text_more[16] = { "--time", time };
	int status = command("list", "--json", more);
	long lines = json_lines(captured.text, captured.len);
	size_t i;

	for (i = 0; more && more[i]; i++)
		text_more[2 + i] = more[i];
	REQUIRE(lines >= 0);
	REQUIRE(command("list", NULL, text_more) == status);
	REQUIRE(is_clean_text(captured.text, captured.len));
	REQUIRE(count_lines(captured.text, captured.len) == lines);
	return lines;
}

/* The number of events in the output of info, not the events that a choice names; NULL: none */
static const char *find_events(void)
{
	static const char key[] = ",\"events\":";
	const char *at = captured.text, *end = captured.text + captured.len;

	while ((at = memmem(at, (size_t)(end - at), key, strlen(key)))) {
		at += strlen(key);
		if (at < end && *at >= '0' && *at <= '9')
			break;
	}
	return at;
}

static void check_info(void)
{
	const char *at;
	long events;
	bool has_namesake;

	command("list", "--json", NULL);
	events = json_lines(captured.text, captured.len);
	/* An event of a program may call itself that, too. */
	has_namesake = memmem(captured.text, captured.len, "\"reason\":\"", 10) &&
		       memmem(captured.text, captured.len, "\"ktrace:lost\",\"flags\"", 21);
	events -= count_losses(captured.text, captured.len);
	command("info", "--json", NULL);
	REQUIRE(!captured.len || json_lines(captured.text, captured.len) == 1);
	at = captured.len ? find_events() : NULL;
	REQUIRE(!captured.len || at);
	REQUIRE(!at || has_namesake || strtol(at, NULL, 10) >= events);
	command("info", NULL, NULL);
	REQUIRE(is_clean_text(captured.text, captured.len));
}

static void check_events(void)
{
	long lines;

	command("events", "--json", NULL);
	lines = json_lines(captured.text, captured.len);
	REQUIRE(lines >= 0);
	command("events", NULL, NULL);
	REQUIRE(is_clean_text(captured.text, captured.len));
	REQUIRE(count_lines(captured.text, captured.len) == lines);
}

/* As long as there is anything to read, there is one line of JSON. */
static void check_one_line(const char *name, const char *const more[])
{
	command(name, "--json", more);
	REQUIRE(!captured.len || json_lines(captured.text, captured.len) == 1);
	command(name, NULL, more);
	REQUIRE(is_clean_text(captured.text, captured.len));
}

/* Their JSON is one value of several lines. */
static void check_json(const char *name, const char *const more[])
{
	size_t i, len = 0;

	command(name, "--json", more);
	for (i = 0; i < captured.len; i++)
		if (captured.text[i] != '\n')
			captured.text[len++] = captured.text[i];
	if (len)
		captured.text[len++] = '\n';
	captured.len = len;
	REQUIRE(!captured.len || json_lines(captured.text, captured.len) == 1);
}

static void check_states(void)
{
	static const char *const names[] = {
		"stat", "resources", "sched", "syscalls", "irq", "io",
	};
	static const char *const at[] = { "--at", "1us", NULL };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		check_json(names[i], NULL);
		command(names[i], NULL, NULL);
		REQUIRE(is_clean_text(captured.text, captured.len));
	}
	check_json("state", at);
	command("flow", "--json", NULL);
	REQUIRE(json_lines(captured.text, captured.len) >= 0);
	command("flow", NULL, NULL);
	REQUIRE(is_clean_text(captured.text, captured.len));
}

/* Commands that read all; diff compares the file with itself, cut makes a file to be listed. */
static void check_analyses(const char *const filter[])
{
	const char *const hist[] = { "-b", "7", filter[0], filter[1], NULL };
	const char *const both[] = { filter[0], filter[1], file.path, NULL };
	const char *const cut[] = { "-o", part.path, filter[0], filter[1], NULL };
	struct memfile whole = file;

	check_one_line("hist", hist);
	check_one_line("diff", both);
	command("check", "--json", NULL);
	REQUIRE(json_lines(captured.text, captured.len) >= 0);
	command("check", NULL, NULL);
	REQUIRE(is_clean_text(captured.text, captured.len));
	REQUIRE(!ftruncate(part.fd, 0));
	if (command("cut", "--json", cut) != STATUS_OK)
		return;
	file = part;
	REQUIRE(command("list", "--json", NULL) == STATUS_OK);
	REQUIRE(json_lines(captured.text, captured.len) >= 0);
	file = whole;
}

static long count(const char *what)
{
	const char *end = captured.text + captured.len, *at = captured.text;
	long nr = 0;

	for (; (at = memmem(at, (size_t)(end - at), what, strlen(what))); at++)
		nr++;
	return nr;
}

/* Whatever is in the file, it stays in the elements that it is put into. */
static void check_page(void)
{
	static const char *const more[] = { "-", NULL };

	command("html", "-o", more);
	REQUIRE(count("<script") == count("</script"));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memfile_make(&file);
	memfile_make(&part);
	captured.text = malloc(OUT_MAX);
	REQUIRE(captured.text);
	setenv("TZ", "UTC", 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[8][6] = {
		{ NULL },
		{ "-e", "demo,sched:*", NULL },
		{ "-p", "100,101", NULL },
		{ "--since", "100us", "--until", "@1700000000.5", NULL },
		{ "-n", "3", NULL },
		{ "--since", "2023-11-14T22:13:20.0000001Z", NULL },
		{ "-e", "*:*", "-p", "0,1", NULL },
		{ "-e", "[a-d]*,user:??", NULL },
	};
	static const char *const filters[4][2] = {
		{ "--filter", "tid != 0" },
		{ "--filter", "event ~ demo:* ^ item > 8 && !(flags = irq)" },
		{ "--filter", "lost > 0 || comm ~ \"d*\" || samples = 1" },
		{ "--filter", "time >= 100ns && nr != read" },
	};
	static const char *const times[4] = { "rel", "wall", "raw", "delta" };
	const uint8_t *settings = data + SETTINGS_OFF;
	long all;

	if (size < sizeof(struct ktrace_file) || size > FILE_MAX || !has_small_frames(data, size))
		return 0;
	memfile_fill(&file, data, size);
	all = check_list(NULL, times[settings[0] & 3]);
	REQUIRE(check_list(options[settings[1] & 7], times[settings[2] & 3]) <= all);
	check_info();
	check_events();
	/* They take longer than all the others. */
	if (!(settings[3] & 12))
		check_analyses(filters[settings[3] & 3]);
	if ((settings[3] & 12) == 4)
		check_states();
	if ((settings[3] & 12) == 8)
		check_page();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_trace(data, size, max, seed);
}
