// SPDX-License-Identifier: LGPL-2.1
/*
 * load.c - loads a section: its header, and its body as it was before it was stored
 *
 * The numbers of a header are used only after ktrace_section_is_possible() has bounded them, a body
 * only after its checksum has matched. Nothing here changes the reader, so several threads can load
 * sections of one file, each into memory of its own.
 */
#include "read.h"

#include "crc32c.h"
#include "section.h"
#include "zstd_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Loads the section at @offset: header into @s, body as stored into @body. Returns 0, -EBADMSG if
 * it is damaged or does not fit (not reported), -errno.
 */
int ktrace_reader_load(const struct reader *r, __u64 offset, struct ktrace_section *s,
		       void *body, size_t cap)
{
	int ret = ktrace_reader_header(r, offset, s);

	if (!ret && s->size > cap)
		return -EBADMSG;
	if (!ret)
		ret = ktrace_reader_bytes(r, offset + sizeof(*s), body, (size_t)s->size);
	if (ret)
		return ret == -ENODATA ? -EBADMSG : ret;
	return ktrace_crc32c(ktrace_section_crc(s), body, (size_t)s->size) == s->crc ? 0 : -EBADMSG;
}

/* Loads a LOST section, like ktrace_reader_load(); unknown counts are left out. */
int ktrace_reader_lost(const struct reader *r, __u64 offset, struct ktrace_lost *lost)
{
	char body[KTRACE_LOST_SIZE_MAX];
	struct ktrace_section s;
	int ret = ktrace_reader_load(r, offset, &s, body, sizeof(body));

	if (!ret && !ktrace_section_is_plain(&s))
		ret = -EBADMSG;
	if (!ret)
		ktrace_section_lost(lost, body, (size_t)s.size);
	return ret;
}

/* Reads bytes [@from, @size) of the section at @offset into @b. */
static int fill(const struct reader *r, __u64 offset, struct section_buf *b, size_t from,
		size_t size)
{
	int ret = ktrace_reserve(&b->bytes, &b->cap, size);

	if (ret || size <= from)
		return ret;
	ret = ktrace_reader_bytes(r, offset + from, b->bytes + from, size - from);
	return ret == -ENODATA ? -EBADMSG : ret;
}

/*
 * Loads header and body as stored. Most sections are as large as the section loaded before; then
 * one read is enough.
 */
static int load_stored(const struct reader *r, __u64 offset, __u64 end, struct section_buf *b)
{
	struct ktrace_section *s = &b->section;
	size_t first = sizeof(*s) + b->last_size;
	int ret;

	end = end < r->size ? end : r->size;
	if (offset > end || end - offset < sizeof(*s))
		return -EBADMSG;
	if (first > end - offset)
		first = (size_t)(end - offset);
	ret = fill(r, offset, b, 0, first);
	if (ret)
		return ret;
	memcpy(s, b->bytes, sizeof(*s));
	if (!ktrace_section_is_possible(s) || s->size > KTRACE_BLOCK_MAX ||
	    s->size > end - offset - sizeof(*s))
		return -EBADMSG;
	b->last_size = (size_t)s->size;
	ret = fill(r, offset, b, first, sizeof(*s) + b->last_size);
	if (ret)
		return ret;
	return ktrace_crc32c(ktrace_section_crc(s), b->bytes + sizeof(*s), b->last_size) == s->crc ?
	       0 : -EBADMSG;
}

/* Restores the body to what it was in the ring. */
static int expand(struct section_buf *b)
{
	const struct ktrace_section *s = &b->section;
	int ret;

	b->body = b->bytes + sizeof(*s);
	b->size = (__u32)s->size;
	if (ktrace_section_is_plain(s))
		return 0;
	if (!ktrace_section_is_compressed(s))
		return -EPROTONOSUPPORT;
	b->body = NULL;
	b->size = s->raw_size;
	if (b->size > KTRACE_BLOCK_MAX)
		return -EILSEQ;
	ret = ktrace_reserve(&b->raw, &b->raw_cap, b->size);
	if (ret)
		return ret;
	b->body = b->raw;
	ret = ktrace_zstd_frame_expand(b->bytes + sizeof(*s), (size_t)s->size, b->raw, b->size);
	return ret == -EBADMSG ? -EILSEQ : ret;
}

/*
 * Loads the section at @offset, which is damaged if it goes beyond @end, into memory that grows.
 * The section loaded last is not loaded again. Returns 0; -EBADMSG: the section is damaged;
 * -EILSEQ: its compressed body is; -EPROTONOSUPPORT: it is stored in an unknown way, see
 * ktrace_load_error(); -ENOMEM; -errno of pread(2).
 */
int ktrace_reader_load_next(const struct reader *r, __u64 offset, __u64 end,
			    struct section_buf *b)
{
	int ret;

	if (b->offset == offset && offset)
		return 0;
	b->offset = 0;
	ret = load_stored(r, offset, end, b);
	if (!ret)
		ret = expand(b);
	if (!ret)
		b->offset = offset;
	return ret;
}

/* Describes why ktrace_reader_load_next() failed to load a section */
const char *ktrace_load_error(int error)
{
	switch (error) {
	case -EBADMSG:
		return "damaged section, skipped";
	case -EILSEQ:
		return "damaged section, skipped: its bytes cannot be decompressed";
	case -EPROTONOSUPPORT:
		return "section has an unknown encoding, skipped: a newer ktrace is needed";
	}
	return strerror(-error);
}

void ktrace_section_buf_free(struct section_buf *b)
{
	free(b->bytes);
	free(b->raw);
}
