// SPDX-License-Identifier: GPL-2.0
/* cmd_html.c - ktrace html: a page that shows traces */
#include "html.h"

#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(struct ktrace_out *out, const unsigned char *at, size_t size)
{
	char text[4];
	__u32 bits;
	size_t i;

	for (i = 0; i + 2 < size; i += 3) {
		bits = (__u32)at[i] << 16 | (__u32)at[i + 1] << 8 | at[i + 2];
		text[0] = digits[bits >> 18];
		text[1] = digits[bits >> 12 & 63];
		text[2] = digits[bits >> 6 & 63];
		text[3] = digits[bits & 63];
		ktrace_out_bytes(out, text, 4);
	}
	if (i == size)
		return;
	bits = (__u32)at[i] << 16 | (i + 1 < size ? (__u32)at[i + 1] << 8 : 0);
	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = i + 1 < size ? digits[bits >> 6 & 63] : '=';
	text[3] = '=';
	ktrace_out_bytes(out, text, 4);
}

static int put_pieces(struct ktrace_out *out, struct html_store *s, enum html_piece kind)
{
	const __u32 nr = html_store_count(s, kind);
	struct bytes room = { 0 };
	int ret = 0;
	size_t size;
	__u32 i;

	for (i = 0; i < nr && !ret && !out->error; i++) {
		progress_at(i);
		size = html_store_size(s, kind, i);
		ret = bytes_reserve(&room, size);
		if (!ret)
			ret = html_store_read(s, kind, i, room.at);
		if (ret)
			break;
		ktrace_out_str(out, "<script type=\"text/plain\" id=\"kt-");
		ktrace_out_char(out, kind == HTML_NODE ? 'n' : 'b');
		ktrace_out_u64(out, i);
		ktrace_out_str(out, "\">");
		put_base64(out, room.at, size);
		ktrace_out_str(out, "</script>\n");
	}
	bytes_free(&room);
	return ret;
}

static int put_page(struct html *h, struct ktrace_out *out)
{
	int ret;

	html_put_top(out);
	ktrace_out_str(out, "<script type=\"application/json\" id=\"kt-head\">");
	ret = html_put_head(h, out);
	ktrace_out_str(out, "</script>\n");
	if (!ret)
		ret = put_pieces(out, h->store, HTML_NODE);
	if (!ret)
		ret = put_pieces(out, h->store, HTML_BLOCK);
	html_put_bottom(out);
	return ret;
}

static int write_files(struct html *h, const char *path, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	if (output_to(path, nr, paths)) {
		ktrace_traceset_close(set);
		return STATUS_DAMAGED;
	}
	ret = html_make(h, set);
	if (!ret)
		ret = put_page(h, output());
	if (ret) {
		html_complain(ret);
		output_void();
	} else {
		scope_complain(&h->scope);
	}
	status = ret ? STATUS_DAMAGED : files_status(set, status);
	status = output_end(status);
	scope_warn_lost(&h->scope);
	html_free(h);
	ktrace_traceset_close(set);
	return status;
}

static const struct option options[] = {
	HTML_OPTIONS,
	{ "output", required_argument, NULL, 'o' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct html h;
	const char *wrong = NULL, *path = NULL;
	int option;

	while (!wrong && (option = getopt_long(argc, argv, "e:o:p:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		if (option == 'o')
			path = optarg;
		else
			wrong = html_option(&h, option);
	}
	if (!wrong && !path)
		wrong = "-o FILE is missing";
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
"  -o, --output FILE  the page; - for standard output. It has all in it that it needs:\n"
"                     no server, no network\n"
"  --title TEXT       what it is called (default: names of the files)\n"
SCOPE_HELP
"  --help, --version\n"
"\n"
"The page has a row for each CPU, interrupt, thread, lock, and for waits and spans of\n"
"threads, coloured by what it does; above them how many events there are, below them the\n"
"events with all fields. Rows follow from all events of the files, whatever -e and --filter\n"
"choose for the list; -p chooses processes and threads for both. A span is a pair of a\n"
"program's events: NAME_begin and NAME_end, _start and _stop, _enter and _exit, _in and\n"
"_out. What was lost, and how good clocks are, stands on the page.\n"
"\n"
"Data for about a page lie in a temporary file in TMPDIR (/tmp) until it is written.\n"
"For traces that are too large for one page: ktrace serve.\n",
	.run = run,
};
