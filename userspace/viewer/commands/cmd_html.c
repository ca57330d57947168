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

/* struct page - one run of the command; @path: the file to write */
struct page {
	struct html html;
	const char *path;
};

#define MEMBER(member) OPTION_MEMBER(struct page, member)

static const struct option_row rows[] = {
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(path),
	  .help = "the page, - for standard output; it needs no other\n"
		  "file, no server and no network" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ output_options, 0 },
	HTML_SETS(offsetof(struct page, html)),
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct page p;
	int status;

	p = (struct page) { .path = NULL };
	status = command_parse(cmd, &p, argc, argv);
	if (status < 0)
		status = command_check(cmd, p.path ? time_range_wrong(&p.html.scope) :
				       "-o FILE is missing");
	return status < 0 ? write_files(&p.html, p.path, argc - optind, argv + optind) : status;
}

const struct command cmd_html = {
	.name = "html",
	.args = "-o FILE [OPTION...] FILE...",
	.summary = "Write a page for a web browser that shows the files",
	.options = sets,
	.needs_files = true,
	.run = run,
};
