// SPDX-License-Identifier: GPL-2.0
/*
 * turns.c - what ktrace serve has for a page before it has read all of a trace
 *
 *   html_turns FOLDER TURN... -- FILE...
 *
 * At each of these turns, and when all is read, a folder FOLDER/TURN, FOLDER/whole gets the head
 * and the pieces that there are, as they are served.
 */
#include "html/html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct turns {
	struct html html;
	const char *folder;
	char **wanted;
	unsigned long nr;
};

static int write_file(const char *folder, const char *name, const void *at, size_t size)
{
	char path[4096];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	ret = fwrite(at, 1, size, file) == size ? 0 : -EIO;
	return fclose(file) ? -EIO : ret;
}

static int write_pieces(struct turns *t, const char *folder, enum html_piece kind)
{
	struct bytes piece = { 0 };
	char name[32];
	int ret = 0;
	__u32 i;

	for (i = 0; !ret; i++) {
		piece.nr = 0;
		ret = html_piece(&t->html, kind, i, &piece);
		snprintf(name, sizeof(name), "%c%u", kind == HTML_NODE ? 'n' : 'b', i);
		if (!ret)
			ret = write_file(folder, name, piece.at, piece.nr);
	}
	bytes_free(&piece);
	return ret == -ENOENT ? 0 : ret;
}

static int write_all(struct turns *t, const char *name)
{
	struct ktrace_out head = { .flush = output_grow };
	char folder[2048];
	int ret;

	snprintf(folder, sizeof(folder), "%s/%s", t->folder, name);
	ret = mkdir(folder, 0777) ? -errno : html_put_head(&t->html, &head);
	if (!ret)
		ret = write_file(folder, "head", head.buf, head.len);
	free(head.buf);
	if (!ret)
		ret = write_pieces(t, folder, HTML_NODE);
	return ret ? ret : write_pieces(t, folder, HTML_BLOCK);
}

static int turn(void *arg)
{
	struct turns *t = arg;
	char name[32];

	snprintf(name, sizeof(name), "%lu", t->nr++);
	if (!*t->wanted || strcmp(*t->wanted, name))
		return 0;
	t->wanted++;
	return write_all(t, name);
}

int main(int argc, char **argv)
{
	static struct turns t;
	struct ktrace_traceset *set;
	int i = 2, status, ret;

	while (i < argc && strcmp(argv[i], "--"))
		i++;
	if (argc < 4 || i + 1 >= argc)
		return 2;
	t.folder = argv[1];
	t.wanted = argv + 2;
	argv[i++] = NULL;
	set = open_files(argc - i, argv + i, &status);
	if (!set)
		return status;
	t.html.is_served = true;
	t.html.turn = turn;
	t.html.turner = &t;
	ret = html_make(&t.html, set);
	if (!ret)
		ret = write_all(&t, "whole");
	if (ret)
		fprintf(stderr, "html_turns: %s\n", strerror(-ret));
	else
		printf("%lu turns\n", t.nr);
	html_free(&t.html);
	ktrace_traceset_close(set);
	return ret || *t.wanted ? 1 : 0;
}
