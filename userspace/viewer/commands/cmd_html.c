// SPDX-License-Identifier: GPL-2.0
/* cmd_html.c - ktrace html: a page that shows traces */
#include "html/html.h"

static int write_page(struct html *h, struct ktrace_traceset *set, int status)
{
	int ret = html_make(h, set);

	if (!ret)
		ret = html_put_page(h, output());
	if (ret) {
		html_complain(ret);
		output_void();
	} else {
		time_range_complain(&h->scope);
	}
	status = output_end(ret ? STATUS_DAMAGED : files_status(set, status));
	time_range_warn_lost(&h->scope);
	return status;
}

static int write_files(struct html *h, const char *path, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	if (output_to(path, nr, paths))
		status = STATUS_DAMAGED;
	else
		status = write_page(h, set, status);
	html_free(h);
	ktrace_traceset_close(set);
	return status;
}

static const struct option options[] = {
	HTML_OPTIONS,
	OUTPUT_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct html h;
	const char *wrong = NULL, *path = NULL;
	int option;

	h = (struct html){ 0 };
	while (!wrong && (option = command_option(argc, argv, "e:o:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		if (option == 'o')
			path = optarg;
		else
			wrong = html_option(&h, option);
	}
	if (!wrong && !path)
		wrong = "-o FILE is missing";
	if (!wrong)
		wrong = time_range_wrong(&h.scope);
	if (!wrong && optind == argc)
		wrong = "no file";
	return wrong ? command_usage(cmd, wrong) :
		write_files(&h, path, argc - optind, argv + optind);
}

const struct command cmd_html = {
	.name = "html",
	.args = "-o FILE [OPTION...] FILE...",
	.summary = "Write a page for a web browser that shows the files",
	.help =
"  -o, --output FILE  the page; - for standard output. It has all in it that it\n"
"                     needs: no server, no network\n"
OUTPUT_HELP
"  --title TEXT       what it is called (default: names of the files)\n"
TIME_RANGE_HELP
"  -h, --help, --version\n"
"\n"
"The page has a row for each CPU, interrupt, thread, lock, and for waits and\n"
"spans of threads, coloured by what it does; above them how many events there\n"
"are, below them the events with all fields. Rows follow from all events of the\n"
"files, whatever -e and --filter choose for the list; -p chooses processes and\n"
"threads for both. A span is a pair of a program's events: NAME_begin and\n"
"NAME_end, _start and _stop or _end, _enter or _entry and _exit, _in and _out.\n"
"What was lost, and how good clocks are, stands on the page.\n"
"\n"
"Data for about a page lie in a temporary file in TMPDIR (/tmp) until it is\n"
"written. For traces that are too large for one page: ktrace serve.\n",
	.run = run,
};
