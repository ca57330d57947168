// SPDX-License-Identifier: GPL-2.0
/* native.c - reassembles tracefiles from their pieces in packets */
#include "native.h"

#include "base/temporary.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

/* Maximum size of a decompressed piece */
#define PIECE_MAX (1u << 20)
/* Bytes of a path like /proc/self/fd/12 */
#define PATH_SIZE 32

/**
 * struct part - a tracefile; writer and number are the key
 * @sequence:	id of the writer
 * @number:	of the part
 * @size:	bytes it should have
 * @done:	bytes received in order
 * @file:	file descriptor, + 1; 0 = none
 * @is_bad:	the pieces are invalid
 */
struct part {
	__u32 sequence;
	__u32 number;
	__u64 size;
	__u64 done;
	int file;
	bool is_bad;
};

void natives_init(struct natives *n, __u64 most)
{
	*n = (struct natives){ .parts = HASH_TABLE_INIT(struct part, number), .left = most };
}

void natives_free(struct natives *n)
{
	const struct part *part;

	for (size_t i = 0; i < n->parts.nr; i++) {
		part = hash_table_at(&n->parts, i);
		if (part->file)
			close(part->file - 1);
	}
	hash_table_free(&n->parts);
}

void natives_drop(struct natives *n)
{
	struct part *part;

	for (size_t i = 0; i < n->parts.nr; i++) {
		part = hash_table_at(&n->parts, i);
		part->is_bad = true;
	}
	n->whole = 0;
}

static bool is_whole(const struct part *part)
{
	return !part->is_bad && part->file && part->done == part->size;
}

/* Merging opens each part twice more. */
static bool has_room(const struct natives *n)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && n->files < limit.rlim_cur / 4;
}

static int append(struct natives *n, struct part *part, const void *data, size_t size)
{
	int ret;

	if (!part->file) {
		const int fd = has_room(n) ? temporary_file() : -EMFILE;

		if (fd == -EMFILE)
			part->is_bad = true;
		if (fd < 0)
			return part->is_bad ? 0 : fd;
		part->file = fd + 1;
		n->files++;
	}
	ret = output_write(part->file - 1, data, size);
	part->done += ret ? 0 : size;
	return ret;
}

static int add_piece(struct natives *n, struct part *part,
		     const Perfetto__Protos__KtracePart *piece)
{
	const unsigned long long size = ZSTD_getFrameContentSize(piece->data.data, piece->data.len);
	void *data = NULL;
	int ret = 0;

	if (!part->file)
		part->size = piece->size;
	if (!size || size > PIECE_MAX || size > n->left || piece->size != part->size ||
	    piece->offset != part->done || size > part->size - part->done)
		part->is_bad = true;
	if (part->is_bad)
		return 0;
	data = malloc(size);
	if (!data)
		return -ENOMEM;
	n->left -= size;
	if (ZSTD_decompress(data, size, piece->data.data, piece->data.len) != size)
		part->is_bad = true;
	else
		ret = append(n, part, data, size);
	free(data);
	return ret;
}

int natives_take(struct natives *n, const struct packet_field *f, __u32 sequence)
{
	Perfetto__Protos__KtracePart *piece =
		perfetto__protos__ktrace_part__unpack(NULL, f->size, f->data);
	__u32 key[2] = { sequence };
	struct part *part;
	int ret = 0;

	if (!piece)
		return 0;
	key[1] = piece->number;
	part = hash_table_get(&n->parts, key);
	if (!part)
		ret = -ENOMEM;
	else if (piece->has_data)
		ret = add_piece(n, part, piece);
	perfetto__protos__ktrace_part__free_unpacked(piece, NULL);
	return ret;
}

static void path_of(char path[PATH_SIZE], const struct part *part)
{
	snprintf(path, PATH_SIZE, "/proc/self/fd/%d", part->file - 1);
}

/* True if the part has the same boot as the others. */
static bool read_boot(struct natives *n, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace = ktrace_traceset_trace(set, 0);
	const char *boot = trace ? ktrace_trace_meta(trace, "host", "boot") : NULL;
	const char *host = trace ? ktrace_trace_meta(trace, "host", "name") : NULL;

	if (!boot || strlen(boot) >= sizeof(n->boot) || (*n->boot && strcmp(n->boot, boot)))
		return false;
	strcpy(n->boot, boot);
	snprintf(n->host, sizeof(n->host), "%s", host ? host : "");
	return true;
}

static bool is_readable(struct natives *n, const struct part *part)
{
	struct ktrace_traceset *set;
	char path[PATH_SIZE];
	bool is;

	path_of(path, part);
	/* The merge reports damage inside. */
	if (ktrace_traceset_open(NULL, &set))
		return false;
	is = !ktrace_traceset_add(set, path) && read_boot(n, set);
	ktrace_traceset_close(set);
	return is;
}

void natives_end(struct natives *n)
{
	struct part *part;

	for (size_t i = 0; i < n->parts.nr; i++) {
		part = hash_table_at(&n->parts, i);
		if (!is_whole(part) || !is_readable(n, part))
			part->is_bad = true;
		else
			n->whole++;
	}
}

bool natives_have(const struct natives *n, const Perfetto__Protos__TracePacket *p)
{
	const struct part *part;
	__u32 key[2];

	if (!p->ktrace_part)
		return false;
	key[0] = p->trusted_packet_sequence_id;
	key[1] = p->ktrace_part->number;
	part = hash_table_find(&n->parts, key);
	return p->ktrace_part->has_data || (part && is_whole(part));
}

bool natives_are_whole(const struct natives *n, __u32 sequence)
{
	bool has_any = false;

	for (size_t i = 0; i < n->parts.nr; i++) {
		const struct part *part = hash_table_at(&n->parts, i);

		if (part->sequence != sequence)
			continue;
		if (!is_whole(part))
			return false;
		has_any = true;
	}
	return has_any;
}

char **natives_paths(const struct natives *n, const char *first)
{
	const size_t nr = n->whole + 1;
	/* The names follow the list. */
	char **list = malloc(nr * (sizeof(*list) + PATH_SIZE));
	char *text = (char *)(list + nr);
	const struct part *part;
	size_t k = 0;

	if (!list)
		return NULL;
	list[k++] = (char *)first;
	for (size_t i = 0; i < n->parts.nr; i++) {
		part = hash_table_at(&n->parts, i);
		if (!is_whole(part))
			continue;
		list[k++] = text;
		path_of(text, part);
		text += PATH_SIZE;
	}
	return list;
}
