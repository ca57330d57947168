// SPDX-License-Identifier: GPL-2.0
/* files.c - opens the files of a command and reports their faults */
#include "files.h"

#include "viewer.h"

#include "clock_warnings.h"
#include "clocks.h"
#include "foreign.h"
#include "parts.h"
#include "store_files.h"
#include "twice.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPLAINTS_MAX 20u
#define LAST_NS 100000u	/* within this time before the end, events are read one by one */

/* Prints the first COMPLAINTS_MAX damages; files_status() prints how many there are in all. */
void files_damage(void *arg, const struct ktrace_damage *d)
{
	static unsigned int nr;

	(void)arg;
	if (nr++ >= COMPLAINTS_MAX)
		return;
	if (d->offset == KTRACE_OFFSET_NONE)
		complain_about(d->path, "%s", d->message);
	else
		complain_about(d->path, "offset %llu: %s", (unsigned long long)d->offset,
			       d->message);
}

enum ktrace_cores cores_wanted(void)
{
	const char *text = getenv("KTRACE_CORES");

	if (text && !strcmp(text, "1"))
		return KTRACE_CORES_ONE;
	return text && !strcmp(text, "2") ? KTRACE_CORES_TWO : KTRACE_CORES_AUTO;
}

/* Appends copies of names. Return: the new number of names in @list; -ENOMEM, as reported. */
static int append(char ***list, int nr, char **names, int more)
{
	char **grown = realloc(*list, (size_t)(nr + more + 1) * sizeof(*grown));
	int i = 0;

	if (grown) {
		*list = grown;
		while (i < more && (grown[nr + i] = strdup(names[i])))
			i++;
		grown[nr + i] = NULL;
	}
	if (!grown || i < more)
		fprintf(stderr, "ktrace: %s\n", strerror(ENOMEM));
	return !grown || i < more ? -ENOMEM : nr + more;
}

bool has_files(int nr)
{
	return nr || store_folder();
}

/* Appends what --store chooses. Return: as append(), or another -errno, as reported. */
static int append_store(char ***list, int nr)
{
	char **chosen;
	const int more = store_choose(&chosen);

	if (more < 0)
		return more;
	nr = append(list, nr, chosen, more);
	files_free(chosen);
	return nr;
}

char **files_expand(int nr, char **paths, int *out)
{
	char **list = NULL, **parts;
	int i, n = append(&list, 0, NULL, 0), found;

	for (i = 0; i < nr && n >= 0; i++) {
		parts = NULL;
		found = access(paths[i], F_OK) ? (int)parts_find(paths[i], &parts) : 0;
		n = found ? append(&list, n, parts, found) : append(&list, n, &paths[i], 1);
		while (found)
			free(parts[--found]);
		free(parts);
	}
	if (n >= 0 && store_folder())
		n = append_store(&list, n);
	*out = n;
	if (n >= 0)
		return list;
	files_free(list);
	return NULL;
}

void files_free(char **list)
{
	size_t i;

	for (i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

/* Returns the format that ktrace import would take the file as, NULL = unknown. */
static const char *format_of(const char *path)
{
	static unsigned char head[1 << 16];
	char metadata[PATH_MAX];
	struct stat st;
	ssize_t nr = 0;
	int fd;

	snprintf(metadata, sizeof(metadata), "%s/metadata", path);
	if (!access(metadata, R_OK))
		return "ctf";
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		nr = read(fd, head, sizeof(head));
	if (fd >= 0)
		close(fd);
	return nr > 0 ? foreign_format(head, (size_t)nr) : NULL;
}

static void complain_foreign(const char *path)
{
	const char *format = format_of(path);

	if (format)
		complain_about(path, "looks like one of another tool: 'ktrace import --from %s "
			       "-o NEW' makes a tracefile of it", format);
}

/* True if none of the @nr files before is the same one, whose events would count twice. */
static bool is_new(struct stat *files, int nr, const char *path)
{
	int i = 0;

	if (stat(path, &files[nr])) {
		files[nr] = (struct stat){ 0 };
		return true;
	}
	while (files[i].st_dev != files[nr].st_dev || files[i].st_ino != files[nr].st_ino)
		i++;
	if (i < nr)
		complain_about(path, "given twice, read once");
	return i == nr;
}

/* Adds each file, reporting all errors but -ENOMEM. Return: 0, -ENOMEM. */
static int add_files(struct ktrace_traceset *set, int nr, char **list, int *status)
{
	struct stat *files = calloc((size_t)nr + 1, sizeof(*files));
	int ret = files ? 0 : -ENOMEM, i;

	for (i = 0; i < nr && ret != -ENOMEM; i++) {
		ret = is_new(files, i, list[i]) ? ktrace_traceset_add(set, list[i]) : -EEXIST;
		if (!ret)
			continue;
		*status = STATUS_DAMAGED;
		if (ret != -EEXIST)
			complain_foreign(list[i]);
	}
	free(files);
	return ret == -ENOMEM ? ret : 0;
}

/* Opens all files of @list. NULL: none can be read, as reported. */
static struct ktrace_traceset *open_list(bool is_live, int nr, char **list, int *status)
{
	struct ktrace_traceset_options opts = {
		.size = sizeof(opts), .report = files_damage, .is_live = is_live,
		.cores = is_live ? KTRACE_CORES_ONE : cores_wanted(),
	};
	struct ktrace_traceset *set;
	int ret = ktrace_traceset_open(&opts, &set);

	if (!ret)
		ret = add_files(set, nr, list, status);
	if (ret) {
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
		*status = STATUS_DAMAGED;
		return NULL;
	}
	if (ktrace_traceset_trace(set, 0) &&
	    clocks_correct(set, is_live && !files_are_over(set))) {
		*status = STATUS_DAMAGED;
		ktrace_traceset_close(set);
		return NULL;
	}
	if (!ktrace_traceset_trace(set, 0)) {
		ktrace_traceset_close(set);
		return NULL;
	}
	return set;
}

/* Opens files, and once more if clocks turn out to differ so much that others belong to them. */
static struct ktrace_traceset *open_as(bool is_live, int nr, char **paths, int *status)
{
	struct ktrace_traceset *set = NULL;
	char **list;
	int n;

	do {
		ktrace_traceset_close(set);
		*status = STATUS_OK;
		list = files_expand(nr, paths, &n);
		if (!list)
			*status = STATUS_DAMAGED;
		set = list ? open_list(is_live, n, list, status) : NULL;
		files_free(list);
	} while (set && store_widen(set));
	return set;
}

struct ktrace_traceset *open_files(int nr, char **paths, int *status)
{
	return open_as(false, nr, paths, status);
}

struct ktrace_traceset *open_growing_files(int nr, char **paths, int *status)
{
	return open_as(true, nr, paths, status);
}

static bool has_path(const struct ktrace_traceset *set, const char *path)
{
	const struct ktrace_trace *trace;
	struct ktrace_part part;
	size_t i, k;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (k = 0; ktrace_trace_part(trace, k, &part); k++)
			if (!strcmp(part.path, path))
				return true;
	return false;
}

int files_grow(struct ktrace_traceset *set, int nr, char **paths)
{
	int more = ktrace_traceset_poll(set), i, ret;
	char **list = files_expand(nr, paths, &nr);

	for (i = 0; i < nr && more >= 0; i++) {
		if (has_path(set, list[i]) || access(list[i], R_OK))
			continue;
		ret = ktrace_traceset_add(set, list[i]);
		more = ret == -ENOMEM ? ret : more + !ret;
	}
	files_free(list);
	return list ? more : -ENOMEM;
}

bool files_are_over(const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		if (!ktrace_trace_is_closed(trace) ||
		    (parts_any(trace) && !ktrace_trace_meta(trace, "end", "reason")))
			return false;
	return true;
}

int files_status(const struct ktrace_traceset *set, int status)
{
	struct ktrace_traceset_stats stats;

	ktrace_traceset_stats(set, &stats);
	if (stats.damaged > COMPLAINTS_MAX)
		fprintf(stderr, "ktrace: %llu damages in all\n",
			(unsigned long long)stats.damaged);
	return stats.damaged ? STATUS_DAMAGED : status;
}

void complain_files(const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	struct ktrace_part file;
	size_t i, k;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		for (k = 0; ktrace_trace_part(trace, k, &file); k++)
			if (!file.is_closed)
				complain_about(file.path,
					       "not closed: still being written, or truncated");
	parts_complain(set);
	clock_warnings_complain(set);
	twice_complain(set);
}

/*
 * Finds the time of the last event. The headers may name a far later time, and reading backwards
 * from there could mean reading most of the files. Bisection loads only a few blocks.
 */
static int find_end(struct ktrace_traceset *set, __u64 low, __u64 high, __u64 *end)
{
	struct ktrace_trace_event e;
	__u64 middle;
	int ret = 0;

	while (ret >= 0 && high > low && high - low > LAST_NS) {
		middle = low + (high - low) / 2;
		ret = ktrace_traceset_seek(set, middle);
		if (!ret)
			ret = ktrace_traceset_next(set, &e);
		if (ret == 1)
			low = e.time > middle ? e.time : middle;
		else
			high = middle;
	}
	if (ret >= 0)
		ret = ktrace_traceset_seek(set, low);
	*end = low;
	while (ret >= 0 && (ret = ktrace_traceset_next(set, &e)) == 1)
		*end = e.time > *end ? e.time : *end;
	return ret;
}

int files_span(struct ktrace_traceset *set, __u64 *start, __u64 *end)
{
	int ret = ktrace_traceset_span(set, start, end);

	if (!ret)
		ret = find_end(set, *start, *end, end);
	return ret < 0 ? ret : ktrace_traceset_seek(set, 0);
}
