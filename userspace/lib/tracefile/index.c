// SPDX-License-Identifier: LGPL-2.1
/*
 * index.c - the sections of a closed file from its index
 *
 * The end mark is the last thing in a closed file. If it and the index are whole, all sections are
 * known without walking. The index is read twice, in pieces: first for its checksum, then for its
 * entries. What an entry says is checked again when its section is loaded. A section must not reach
 * into the next one listed: a file of nested sections would cost many times its size. If the index
 * lists an unknown section that must not be ignored, walking handles it.
 */
#include "read.h"

#include "crc32c.h"
#include "section.h"

#include <errno.h>
#include <stdlib.h>

#define ENTRIES 1024u

/* Adds the base to an offset; an impossible offset stays impossible. */
static __u64 add_base(const struct reader *r, __u64 offset)
{
	return offset > ~0ull - r->base ? ~0ull : offset + r->base;
}

/* Returns where the index is according to the end mark; 0 = no usable end mark or no index. */
static __u64 index_offset(const struct reader *r)
{
	struct ktrace_section end;

	if (r->size % KTRACE_SECTION_ALIGN ||
	    r->size - r->base < sizeof(end) + sizeof(struct ktrace_file))
		return 0;
	if (ktrace_reader_load(r, r->size - sizeof(end), &end, NULL, 0))
		return 0;
	return end.type == KTRACE_SECTION_END && end.pos ? add_base(r, end.pos) : 0;
}

/* True if @e can be an entry between @min and the index at @max. */
static bool is_possible(const struct ktrace_index *e, __u64 min, __u64 max)
{
	return e->offset >= min && e->offset < max && !(e->offset % KTRACE_SECTION_ALIGN);
}

/* True if @e lists a section of a later version that may be ignored; @end: its end */
static bool may_ignore(const struct reader *r, const struct ktrace_index *e, __u64 *end)
{
	struct ktrace_section s;

	if (ktrace_section_type(e->type) || ktrace_reader_header(r, e->offset, &s))
		return false;
	*end = e->offset + sizeof(s) + s.size;
	return s.type == e->type && (s.flags & KTRACE_SECTION_MAY_IGNORE) &&
	       ktrace_reader_verify(r, e->offset, &s) == 1;
}

/**
 * struct pass - one pass over the index
 * @reader:	the file
 * @add:	called for each entry; NULL = only compute the checksum
 * @arg:	for @add
 * @last:	the latest entry with content, not added yet; type 0 = none
 * @index:	offset of INDEX; all sections are before it
 * @min:	least offset of the next entry
 * @crc:	checksum so far
 */
struct pass {
	const struct reader *reader;
	index_fn add;
	void *arg;
	struct ktrace_index last;
	__u64 index;
	__u64 min;
	__u32 crc;
};

/* Adds the pending entry, now that the next one is known to begin at @end. */
static int add_last(struct pass *p, __u64 end)
{
	const struct ktrace_index e = p->last;

	p->last.type = 0;
	return p->add && e.type ? p->add(p->arg, &e, end) : 0;
}

static int take_entries(struct pass *p, struct ktrace_index *e, size_t nr)
{
	int ret = 0;
	size_t i;

	p->crc = ktrace_crc32c(p->crc, e, nr * sizeof(*e));
	for (i = 0; i < nr && !ret; i++, e++) {
		e->offset = add_base(p->reader, e->offset);
		if (!is_possible(e, p->min, p->index))
			return -EBADMSG;
		p->min = e->offset + sizeof(struct ktrace_section);
		ret = add_last(p, e->offset);
		if (ktrace_section_has_content(e->type))
			p->last = *e;
		else if (!p->add && !may_ignore(p->reader, e, &p->min))
			return -EBADMSG;
	}
	return ret;
}

static int read_entries(const struct reader *r, const struct ktrace_section *s, struct pass *p)
{
	struct ktrace_index *entries = malloc(ENTRIES * sizeof(*entries));
	__u64 at = p->index + sizeof(*s), left = s->size / sizeof(*entries);
	size_t n;
	int ret = entries ? 0 : -ENOMEM;

	p->min = r->base + sizeof(struct ktrace_file);
	p->last.type = 0;
	for (; left && !ret; left -= n, at += n * sizeof(*entries)) {
		n = left < ENTRIES ? (size_t)left : ENTRIES;
		ret = ktrace_reader_bytes(r, at, entries, n * sizeof(*entries));
		if (!ret)
			ret = take_entries(p, entries, n);
	}
	free(entries);
	return ret ? ret : add_last(p, p->index);
}

/*
 * Calls @add for each entry of the index, with the offset that its section must not exceed. Returns
 * 1: done, the file is closed; 0: no usable index, walk; -errno, also from @add.
 */
int ktrace_reader_index(struct reader *r, index_fn add, void *arg)
{
	struct pass p = { .reader = r, .index = index_offset(r), .arg = arg };
	struct ktrace_section s;
	int ret;

	if (!p.index || ktrace_reader_header(r, p.index, &s) || s.type != KTRACE_SECTION_INDEX ||
	    s.size % sizeof(struct ktrace_index))
		return 0;
	p.crc = ktrace_section_crc(&s);
	ret = read_entries(r, &s, &p);
	if (ret || p.crc != s.crc)
		return ret == -ENOMEM ? ret : 0;
	p.add = add;
	ret = read_entries(r, &s, &p);
	if (ret)
		return ret;
	r->is_closed = true;
	r->next = r->size;
	return 1;
}
