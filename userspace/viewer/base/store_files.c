// SPDX-License-Identifier: GPL-2.0
/*
 * store_files.c - chooses files in a folder of ktrace store
 *
 *   DIR/HOST/BOOT/NAME.0001.bin	HOST matches --host
 *                 .index		when their events were, see store_index.h
 *
 * Without a window, all files are chosen. Otherwise the index says which ones are outside; a file
 * about which it says nothing credible is opened to find out. Documentation/fleet.md is the manual.
 */
#include "store_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash_table.h"
#include "base/search.h"
#include "store_index.h"
#include "viewer.h"
#include "when.h"

/* Longest index that is read: some ten million files */
#define INDEX_MAX (1ll << 30)
/* Times of a part by its own clock readings may differ from those by all readings. */
#define SLACK_NS (10 * NS_PER_MS)
/* ... and from those by the clock of another host */
#define HOSTS_SLACK_NS NS_PER_S
#define SUFFIX ".bin"

/**
 * struct stored - a file, or a folder that cannot be read: opening that tells why
 * @path:	its path, allocated
 * @stem:	length of the path without part number and suffix
 * @number:	of the part, 0 = none
 * @first:	time of its first event
 * @last:	of its last one, or later
 * @is_known:	these are known; both 0 = it has no events
 * @is_chosen:	it is to be read
 */
struct stored {
	char *path;
	size_t stem;
	unsigned long number;
	__u64 first;
	__u64 last;
	bool is_known;
	bool is_chosen;
};

/**
 * struct index - lines about the files of a folder, in order of names
 * @text:	of the file
 * @lines:	those that are not damaged
 * @nr:		of them
 */
struct index {
	char *text;
	struct store_line *lines;
	size_t nr;
};

/**
 * struct store - the options, and what is in the folder
 * @folder:	--store
 * @host:	--host
 * @files:	all files of matching hosts
 * @nr:		of them
 * @cap:	room
 * @hosts:	hosts that match
 * @boots:	their boots: each has its own clock
 * @strays:	files in other places, or with other names
 * @slack_ns:	by how much times may differ
 * @is_read:	the folder was read
 * @needs_times: there is a window
 * @error:	-ENOMEM
 */
static struct store {
	const char *folder;
	const char *host;
	struct stored *files;
	size_t nr;
	size_t cap;
	unsigned int hosts;
	unsigned int boots;
	unsigned int strays;
	__u64 slack_ns;
	bool is_read;
	bool needs_times;
	int error;
} store;

static const char *set_store(void *to, const char *text)
{
	(void)to;
	if (store.folder)
		return "--store: one folder";
	store.folder = text;
	return NULL;
}

static const char *set_host(void *to, const char *text)
{
	(void)to;
	store.host = text;
	return NULL;
}

const struct option_row store_options[] = {
	{ .name = "store", .value = "DIR", .set = set_store,
	  .help = "also read the files in DIR, a folder of 'ktrace store',\n"
		  "that can have events in the time that is asked for" },
	{ .name = "host", .value = "GLOB", .set = set_host,
	  .help = "of --store: only those of hosts whose names match" },
	{ .help = NULL },
};

const char *store_wrong(void)
{
	return store.host && !store.folder ? "--host needs --store" : NULL;
}

const char *store_folder(void)
{
	return store.folder;
}

const char *store_host(void)
{
	return store.host;
}

void store_taken(void)
{
	store.folder = NULL;
	store.host = NULL;
}

/* The index of a folder */

static int by_name(const void *a, const void *b)
{
	const struct store_line *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Reads a regular file, and ends it with a NUL. Returns NULL if that fails. */
static char *read_index(int folder)
{
	const int fd = openat(folder, STORE_INDEX,
			      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < INDEX_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text) {
		n = pread(fd, text, (size_t)st.st_size, 0);
		text[n > 0 ? n : 0] = '\0';
	}
	close(fd);
	return text;
}

/* Without memory or without an index there are no lines. */
static void index_open(struct index *index, int folder)
{
	struct store_line line;
	char *at, *next;
	size_t cap = 0;

	*index = (struct index){ .text = read_index(folder) };
	for (at = index->text; at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		if (!store_line_parse(at, &line))
			continue;
		if (!LIST_GROW(index->lines, index->nr, cap))
			break;
		index->lines[index->nr++] = line;
	}
	if (index->nr)
		qsort(index->lines, index->nr, sizeof(*index->lines), by_name);
}

static void index_close(struct index *index)
{
	free(index->lines);
	free(index->text);
}

/* Takes the times of a file; false if no line is about what the file is now, or lines differ. */
static bool index_find(const struct index *index, struct store_line *file)
{
	size_t i = PARTITION_POINT(index->nr, k, strcmp(index->lines[k].name, file->name) < 0);
	bool is_found = false;

	for (; i < index->nr && !strcmp(index->lines[i].name, file->name); i++) {
		const struct store_line *line = &index->lines[i];

		if (line->size != file->size || line->mtime_ns != file->mtime_ns)
			continue;
		if (is_found && (line->first != file->first || line->last != file->last))
			return false;
		file->first = line->first;
		file->last = line->last;
		is_found = true;
	}
	return is_found;
}

/* The folder */

/* Finds part number and stem of NAME.0001.bin; a name without number is all stem. */
static void take_number(struct stored *file)
{
	const size_t size = strlen(file->path) - strlen(SUFFIX);
	size_t at = size;

	while (at && file->path[at - 1] >= '0' && file->path[at - 1] <= '9')
		at--;
	file->stem = size;
	if (at == size || !at || file->path[at - 1] != '.')
		return;
	file->stem = at - 1;
	file->number = strtoul(file->path + at, NULL, 10);
}

/* Adds a file, or what opening will report. */
static struct stored *add(const char *folder, const char *name)
{
	struct stored *file = NULL;

	if (LIST_GROW(store.files, store.nr, store.cap)) {
		file = &store.files[store.nr];
		*file = (struct stored){ .path = NULL };
		if (asprintf(&file->path, "%s%s%s", folder, *name ? "/" : "", name) < 0)
			file = NULL;
	}
	if (!file) {
		store.error = -ENOMEM;
		return NULL;
	}
	store.nr++;
	file->stem = strlen(file->path);
	return file;
}

static bool is_file_name(const char *name)
{
	const size_t size = strlen(name), suffix = strlen(SUFFIX);

	return size > suffix && !strcmp(name + size - suffix, SUFFIX);
}

/* Finds out when the events of a file are, from the index if that is about it. */
static void find_times(struct stored *file, int folder, const char *name,
		       const struct index *index)
{
	struct store_line line = { .name = name };
	struct stat st;
	int fd;

	if (fstatat(folder, name, &st, 0) || !S_ISREG(st.st_mode))
		return;
	store_line_stat(&line, &st);
	file->is_known = index_find(index, &line);
	if (!file->is_known) {
		fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		file->is_known = fd >= 0 && !store_line_look(&line, fd);
		if (fd >= 0)
			close(fd);
	}
	file->first = line.first;
	file->last = line.last;
}

static void add_boot(const char *path, DIR *dir)
{
	struct index index = { .text = NULL };
	struct dirent *e;

	store.boots++;
	if (store.needs_times)
		index_open(&index, dirfd(dir));
	while ((e = readdir(dir))) {
		struct stored *file;

		if (e->d_name[0] == '.')
			continue;
		store.strays += !is_file_name(e->d_name);
		file = is_file_name(e->d_name) ? add(path, e->d_name) : NULL;
		if (file)
			take_number(file);
		if (file && store.needs_times)
			find_times(file, dirfd(dir), e->d_name, &index);
	}
	index_close(&index);
}

/* Calls @take for each folder in a folder; counts files, adds what cannot be read. */
static void each_folder(const char *path, DIR *dir, void (*take)(const char *path, DIR *dir),
			const char *glob)
{
	struct dirent *e;

	while ((e = readdir(dir))) {
		char *below;
		DIR *inner;

		if (e->d_name[0] == '.')
			continue;
		if (asprintf(&below, "%s/%s", path, e->d_name) < 0) {
			store.error = -ENOMEM;
			return;
		}
		inner = opendir(below);
		if (!inner && errno == ENOTDIR)
			store.strays++;
		else if (!glob || !fnmatch(glob, e->d_name, 0)) {
			if (inner)
				take(below, inner);
			else
				add(below, "");
		}
		if (inner)
			closedir(inner);
		free(below);
	}
}

static void add_host(const char *path, DIR *dir)
{
	store.hosts++;
	each_folder(path, dir, add_boot, NULL);
}

/* In order of paths; parts in order of numbers */
static int by_path(const void *a, const void *b)
{
	const struct stored *x = a, *y = b;
	const size_t common = x->stem < y->stem ? x->stem : y->stem;
	const int order = memcmp(x->path, y->path, common);

	return order ? order : ORDER(x->stem, y->stem) ? : ORDER(x->number, y->number) ? :
	       strcmp(x->path, y->path);
}

static void complain_incoming(DIR *dir)
{
	const int fd = openat(dirfd(dir), STORE_INCOMING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const unsigned int nr = store_names(fd);

	if (nr)
		complain_about(store.folder, "%u part%s on the way, not read: 'ktrace store' does "
			       "not have all of %s yet", nr, nr == 1 ? " is" : "s are",
			       nr == 1 ? "it" : "them");
	if (fd >= 0)
		close(fd);
}

/* Reads the folder. Return: 0, -errno, as reported. */
static int read_folder(void)
{
	DIR *dir = opendir(store.folder);

	if (!dir) {
		complain_about(store.folder, "%s", strerror(errno));
		return -errno;
	}
	each_folder(store.folder, dir, add_host, store.host);
	complain_incoming(dir);
	closedir(dir);
	if (store.error) {
		fprintf(stderr, "ktrace: %s\n", strerror(-store.error));
		return store.error;
	}
	if (store.strays)
		complain_about(store.folder, "%u file%s not read: only DIR/HOST/BOOT/*" SUFFIX
			       " are", store.strays, store.strays == 1 ? " is" : "s are");
	if (store.nr)
		qsort(store.files, store.nr, sizeof(*store.files), by_path);
	return 0;
}

/* The window */

/* Finds the times of all events. Returns false if there are none. */
static bool find_span(__u64 *first, __u64 *last)
{
	*first = ~0ull;
	*last = 0;
	for (size_t i = 0; i < store.nr; i++) {
		const struct stored *file = &store.files[i];

		if (!file->is_known || !file->last)
			continue;
		*first = file->first < *first ? file->first : *first;
		*last = file->last > *last ? file->last : *last;
	}
	return *first <= *last;
}

/* Makes a time absolute. Returns it, or @missing. */
static __u64 resolve(struct when *w, __u64 start, __u64 missing)
{
	if (!w || !w->is_set)
		return missing;
	w->at.ns = ktrace_when_absolute(&w->at, start);
	w->at.is_relative = false;
	return w->at.ns;
}

static bool is_same_recording(const struct stored *a, const struct stored *b)
{
	return a->number && b->number && a->stem == b->stem && !memcmp(a->path, b->path, a->stem);
}

/*
 * Chooses what is between two chosen parts, or else that would look like missing; and parts
 * without events, whose time is not known, right after a chosen one: losses may be in them.
 */
static void choose_between(void)
{
	size_t last = store.nr;

	for (size_t i = 0; i < store.nr; i++) {
		struct stored *file = &store.files[i];
		const bool has_last = last < i && is_same_recording(&store.files[last], file);

		if (file->is_known && !file->last)
			file->is_chosen = has_last && last + 1 == i;
		else if (file->is_chosen && has_last)
			for (size_t k = last + 1; k < i; k++)
				store.files[k].is_chosen = true;
		if (file->is_chosen)
			last = i;
	}
}

/* Chooses files with events from @from up to @to, not included. Returns their number. */
static size_t choose(__u64 from, __u64 to)
{
	size_t nr = 0;

	from = from > store.slack_ns ? from - store.slack_ns : 0;
	to = to < ~0ull - store.slack_ns ? to + store.slack_ns : ~0ull;
	for (size_t i = 0; i < store.nr; i++) {
		struct stored *file = &store.files[i];

		file->is_chosen = !store.needs_times || !file->is_known ||
				  (file->last >= from && file->first < to && file->last);
	}
	if (store.needs_times)
		choose_between();
	for (size_t i = 0; i < store.nr; i++)
		nr += store.files[i].is_chosen;
	return nr;
}

static void complain_empty(__u64 first, __u64 last)
{
	char text[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) - 1 };

	if (!store.nr && store.host && !store.hosts)
		complain_about(store.folder, "no host matches '%s'", store.host);
	else if (!store.nr)
		complain_about(store.folder, "there are no files%s%s%s: DIR/HOST/BOOT/*" SUFFIX,
			       store.host ? " of hosts that match '" : "",
			       store.host ? store.host : "", store.host ? "'" : "");
	else if (!last)
		complain_about(store.folder, "no file has events");
	if (!store.nr || !last)
		return;
	out_date(&out, first);
	ktrace_out_str(&out, " to ");
	out_date(&out, last);
	text[out.len] = '\0';
	complain_about(store.folder, "no file%s%s%s has events in this time; they have those from "
		       "%s", store.host ? " of hosts that match '" : "",
		       store.host ? store.host : "", store.host ? "'" : "", text);
}

/* Copies the names of the chosen ones. Return: their number, -ENOMEM, as reported. */
static int copy_names(char ***list, size_t nr)
{
	int n = 0;

	*list = calloc(nr + 1, sizeof(**list));
	for (size_t i = 0; *list && i < store.nr; i++) {
		if (!store.files[i].is_chosen)
			continue;
		(*list)[n] = strdup(store.files[i].path);
		if (!(*list)[n++])
			break;
	}
	if (*list && (size_t)n == nr && (*list)[nr - 1])
		return n;
	fprintf(stderr, "ktrace: %s\n", strerror(ENOMEM));
	files_free(*list);
	*list = NULL;
	return -ENOMEM;
}

int store_choose(char ***list)
{
	struct when *since, *until;
	__u64 first, last, from, to;
	size_t nr;
	int ret;

	*list = NULL;
	when_given(&since, &until);
	store.needs_times = (since && since->is_set) || (until && until->is_set);
	ret = store.is_read ? 0 : read_folder();
	if (ret)
		return ret;
	store.is_read = true;
	if (!store.slack_ns)
		store.slack_ns = store.boots > 1 ? HOSTS_SLACK_NS : SLACK_NS;
	if (!find_span(&first, &last))
		first = last = 0;
	from = resolve(since, first, 0);
	to = resolve(until, first, ~0ull);
	nr = choose(from, to);
	if (nr)
		return copy_names(list, nr);
	complain_empty(first, last);
	return -ENOENT;
}

/* Clocks of hosts */

/* Returns by how much the clock of a trace is corrected at its first event. */
static __u64 correction(const struct ktrace_trace *trace)
{
	const char *path = ktrace_trace_path(trace);
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;
	__u64 differs = 0, time;

	if (!ktrace_trace_is_corrected(trace) || ktrace_traceset_open(NULL, &set))
		return 0;
	if (!ktrace_traceset_add(set, path) && ktrace_traceset_next(set, &e) == 1) {
		time = ktrace_trace_time(trace, e.raw);
		differs = time > e.time ? time - e.time : e.time - time;
	}
	ktrace_traceset_close(set);
	return differs;
}

bool store_widen(const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	__u64 most = 0, differs;

	if (!store.folder || !store.needs_times)
		return false;
	for (size_t i = 0; (trace = ktrace_traceset_trace(set, i)); i++) {
		differs = correction(trace);
		most = differs > most ? differs : most;
	}
	/* Half of it is for what the correction changes in the rest of the files. */
	if (most <= store.slack_ns / 2 || most > ~0ull / 4)
		return false;
	store.slack_ns = 4 * most;
	return true;
}
