// SPDX-License-Identifier: GPL-2.0
/*
 * input.c - finds CTF traces and merges their streams by time
 *
 * Files with the same number of a stream are one stream: LTTng splits streams into files, and
 * rotates sessions into folders whose metadata has the same UUID.
 *
 * The order of a stream's events is kept even where its time goes back; such an event counts as of
 * the latest time before. Memory grows with the number of streams, not with their size.
 */
#include "input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/viewer.h"
#include "metadata.h"

#define DEPTH_MAX 32u

/* Maps a file; false: reported, or empty */
static bool map_file(struct ctf_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	void *data = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED && (fd < 0 || (S_ISREG(st.st_mode) && st.st_size))) {
		complain_about(file->path, "%s", strerror(errno));
		file->trace->is_damaged = true;
	}
	if (fd >= 0)
		close(fd);
	if (data == MAP_FAILED)
		return false;
	file->data = data;
	file->size = (__u64)st.st_size;
	return true;
}

static bool add_file(struct ctf_input *in, struct ctf_trace *trace, char *path)
{
	struct ctf_file file = { .trace = trace, .path = path }, *files;

	if (!path || !map_file(&file)) {
		free(path);
		return path;
	}
	files = realloc(in->files, (in->file_nr + 1) * sizeof(*files));
	if (!files) {
		munmap((void *)file.data, file.size);
		free(path);
		return false;
	}
	in->files = files;
	ctf_stream_probe(&file);
	in->bytes += file.size;
	files[in->file_nr++] = file;
	return true;
}

static char *join(const char *folder, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Adds the files of a trace: all in its folder, except metadata and hidden ones. */
static bool add_files(struct ctf_input *in, struct ctf_trace *trace, struct dirent **names, int nr)
{
	for (int i = 0; i < nr; i++)
		if (names[i]->d_name[0] != '.' && strcmp(names[i]->d_name, "metadata") &&
		    !add_file(in, trace, join(trace->folder, names[i]->d_name)))
			return false;
	return true;
}

static bool add_trace(struct ctf_input *in, const char *folder, struct dirent **names, int nr)
{
	struct ctf_trace *trace = calloc(1, sizeof(*trace));
	char *path = join(folder, "metadata");
	bool is_fine = trace && path && (trace->folder = strdup(folder));

	if (!is_fine) {
		complain_about(folder, "out of memory");
		free(trace);
	} else {
		trace->next = in->traces;
		in->traces = trace;
		is_fine = metadata_read(path, &trace->schema, &trace->is_damaged);
	}
	free(path);
	if (!is_fine) {
		in->is_damaged = true;
		return false;
	}
	if (add_files(in, trace, names, nr))
		return true;
	complain_about(folder, "out of memory");
	return false;
}

/* struct finding - the search in a folder: how many traces there are, and can be read */
struct finding {
	unsigned int all;
	unsigned int fine;
};

static void find(struct ctf_input *in, const char *folder, unsigned int depth, struct finding *f);

static void find_below(struct ctf_input *in, const char *folder, const char *name,
		       unsigned int depth, struct finding *f)
{
	char *path = join(folder, name);
	struct stat st;

	if (path && !lstat(path, &st) && S_ISDIR(st.st_mode))
		find(in, path, depth + 1, f);
	free(path);
}

/* Adds the traces in a folder and those below it. */
static void find(struct ctf_input *in, const char *folder, unsigned int depth, struct finding *f)
{
	struct dirent **names = NULL;
	int nr = depth < DEPTH_MAX ? scandir(folder, &names, NULL, alphasort) : 0;

	if (nr < 0) {
		complain_about(folder, "%s", strerror(errno));
		in->is_damaged = true;
		return;
	}
	for (int i = 0; i < nr; i++) {
		if (!strcmp(names[i]->d_name, "metadata")) {
			f->all++;
			f->fine += add_trace(in, folder, names, nr);
		} else if (names[i]->d_name[0] != '.') {
			find_below(in, folder, names[i]->d_name, depth, f);
		}
	}
	for (int i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

/* Explains a folder without a trace. */
static void tell_nothing(const char *path)
{
	char *git = join(path, ".git");
	bool is_clone = git && !access(git, F_OK);

	free(git);
	if (is_clone)
		complain_about(path, "not a CTF trace, but a clone of a repository without one: "
			       "its files are perhaps not checked out, or in git-lfs");
	else
		complain_about(path, "not a CTF trace: no folder in it has a file \"metadata\"");
}

bool ctf_input_add(struct ctf_input *in, const char *path)
{
	const size_t n = strlen(path);
	const bool is_metadata = n > 9 && !strcmp(path + n - 9, "/metadata");
	struct finding f = { 0 };
	struct stat st;
	char *folder;

	if (stat(path, &st)) {
		complain_about(path, "%s", strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode) && !is_metadata) {
		complain_about(path, "not a CTF trace: a trace is the folder with its files and "
			       "\"metadata\"");
		return false;
	}
	folder = strndup(path, S_ISDIR(st.st_mode) ? n : n - 9);
	if (folder)
		find(in, folder, 0, &f);
	free(folder);
	if (!f.all)
		tell_nothing(path);
	return f.fine;
}

static int compare_files(const void *a, const void *b)
{
	const struct ctf_file *x = a, *y = b;
	const int by_uuid = memcmp(x->trace->schema.uuid, y->trace->schema.uuid, 16);
	const int by_trace = by_uuid || x->trace->schema.has_uuid ? by_uuid :
			     strcmp(x->trace->folder, y->trace->folder);

	if (x->has_stream != y->has_stream)
		return x->has_stream ? -1 : 1;
	if (x->has_stream && by_trace)
		return by_trace;
	if (x->has_stream && x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->has_stream && x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->has_stream && x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* True if both files are parts of one stream. */
static bool is_same_stream(const struct ctf_file *a, const struct ctf_file *b)
{
	const bool is_same_trace = a->trace == b->trace ||
		(a->trace->schema.has_uuid && b->trace->schema.has_uuid &&
		 !memcmp(a->trace->schema.uuid, b->trace->schema.uuid, 16));

	return a->has_stream && b->has_stream && is_same_trace && a->class == b->class &&
	       a->stream == b->stream;
}

static bool is_earlier(const struct ctf_lane *a, const struct ctf_lane *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->nr < b->nr;
}

/* Moves a stream down to its place in the heap. */
static void sift(struct ctf_input *in, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < in->heap_nr;) {
		struct ctf_lane *lane = in->heap[i];

		if (child + 1 < in->heap_nr && is_earlier(in->heap[child + 1], in->heap[child]))
			child++;
		if (!is_earlier(in->heap[child], lane))
			return;
		in->heap[i] = in->heap[child];
		in->heap[child] = lane;
		i = child;
	}
}

/* Reads the next message of a stream. */
static void advance(struct ctf_lane *lane)
{
	struct ctf_stream *s = &lane->stream;
	__s64 ns;

	ctf_stream_next(s);
	if (s->message != CTF_END && s->class && s->class->clock &&
	    ctf_clock_ns(s->class->clock, s->time, &ns) && ns > lane->ns)
		lane->ns = ns;
}

static void make_lanes(struct ctf_input *in)
{
	for (size_t i = 0; i < in->file_nr; i++) {
		struct ctf_file *file = &in->files[i];
		struct ctf_lane *lane = &in->lanes[in->lane_nr];

		if (i && is_same_stream(file - 1, file)) {
			lane[-1].stream.file_nr++;
			continue;
		}
		lane->stream.files = file;
		lane->stream.file_nr = 1;
		lane->stream.trace = file->trace;
		lane->ns = INT64_MIN;
		lane->nr = in->lane_nr++;
	}
}

bool ctf_input_begin(struct ctf_input *in)
{
	in->lanes = calloc(in->file_nr + 1, sizeof(*in->lanes));
	in->heap = calloc(in->file_nr + 1, sizeof(*in->heap));
	if (!in->lanes || !in->heap)
		return false;
	if (in->file_nr)
		qsort(in->files, in->file_nr, sizeof(*in->files), compare_files);
	make_lanes(in);
	for (size_t i = 0; i < in->lane_nr; i++) {
		advance(&in->lanes[i]);
		if (in->lanes[i].stream.message != CTF_END)
			in->heap[in->heap_nr++] = &in->lanes[i];
	}
	for (size_t i = in->heap_nr / 2; i--;)
		sift(in, i);
	return true;
}

struct ctf_stream *ctf_input_now(const struct ctf_input *in)
{
	return in->heap_nr ? &in->heap[0]->stream : NULL;
}

void ctf_input_next(struct ctf_input *in)
{
	const __u64 before = ctf_stream_read(&in->heap[0]->stream);

	advance(in->heap[0]);
	in->read += ctf_stream_read(&in->heap[0]->stream) - before;
	if (in->heap[0]->stream.message == CTF_END)
		in->heap[0] = in->heap[--in->heap_nr];
	sift(in, 0);
}

bool ctf_input_is_damaged(const struct ctf_input *in)
{
	for (const struct ctf_trace *t = in->traces; t; t = t->next)
		if (t->is_damaged)
			return true;
	return in->is_damaged;
}

void ctf_input_exit(struct ctf_input *in)
{
	struct ctf_trace *trace;

	for (size_t i = 0; i < in->lane_nr; i++)
		ctf_stream_exit(&in->lanes[i].stream);
	for (size_t i = 0; i < in->file_nr; i++) {
		munmap((void *)in->files[i].data, in->files[i].size);
		free(in->files[i].path);
	}
	while ((trace = in->traces)) {
		in->traces = trace->next;
		ctf_schema_free(&trace->schema);
		free(trace->folder);
		free(trace);
	}
	free(in->files);
	free(in->lanes);
	free(in->heap);
}
