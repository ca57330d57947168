// SPDX-License-Identifier: GPL-2.0
/*
 * decode.c - turns the bits of a packet into values
 *
 * Every read is checked against the end of the packet's content. A length that is in the data is
 * checked against the bits that are left before any memory is taken for it. text.c decodes text.
 */
#include "decode.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* struct frame - a struct that is being decoded, and those around it */
struct frame {
	struct ctf_value *value;
	const struct frame *up;
};

static bool decode(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		   const struct frame *frame);

static bool fail(struct ctf_cursor *c, const char *fault)
{
	if (!c->fault)
		c->fault = fault;
	return false;
}

static bool align(struct ctf_cursor *c, __u64 to)
{
	const __u64 at = (c->at + to - 1) & ~(to - 1);

	if (at < c->at || at > c->end)
		return fail(c, "the packet ends within a field");
	c->at = at;
	return true;
}

/* True if @bits are left. */
static bool has(struct ctf_cursor *c, __u64 bits)
{
	return bits <= c->end - c->at || fail(c, "the packet ends within a field");
}

static void *get(struct ctf_cursor *c, size_t size)
{
	void *data = ctf_arena_get(c->arena, size);

	if (!data)
		fail(c, "an event needs more than 256 MiB");
	return data;
}

/* Reads up to 64 bits, least significant first. */
static __u64 little(const unsigned char *data, __u64 at, unsigned int n)
{
	__u64 v = 0;

	for (unsigned int got = 0, take; got < n; got += take, at += take) {
		take = 8 - (unsigned int)(at & 7);
		if (take > n - got)
			take = n - got;
		v |= ((__u64)(data[at / 8] >> (at & 7)) & ((1u << take) - 1)) << got;
	}
	return v;
}

/* Reads up to 64 bits, most significant first. */
static __u64 big(const unsigned char *data, __u64 at, unsigned int n)
{
	unsigned int left, take;
	__u64 v = 0;

	for (; n; n -= take, at += take) {
		left = 8 - (unsigned int)(at & 7);
		take = left < n ? left : n;
		v = v << take | (data[at / 8] >> (left - take) & ((1u << take) - 1));
	}
	return v;
}

static __u64 reverse(__u64 v, unsigned int n)
{
	__u64 r = 0;

	for (unsigned int i = 0; i < n; i++)
		r |= (v >> i & 1) << (n - 1 - i);
	return r;
}

/* Reads up to 64 bits at the cursor, without moving it. */
static __u64 bits(const struct ctf_cursor *c, const struct ctf_layout *layout, unsigned int n)
{
	__u64 v;

	if (n == 64 && !(c->at & 7) && !layout->is_reversed) {
		memcpy(&v, c->data + c->at / 8, sizeof(v));
		return layout->is_big ? be64toh(v) : le64toh(v);
	}
	v = layout->is_big ? big(c->data, c->at, n) : little(c->data, c->at, n);
	return layout->is_reversed ? reverse(v, n) : v;
}

/* Returns bit @i of a number of any size at the cursor, 0 = least significant. */
static unsigned int bit(const struct ctf_cursor *c, const struct ctf_layout *layout, __u64 i)
{
	const bool is_first_low = layout->is_big == layout->is_reversed;
	const __u64 at = c->at + (is_first_low ? i : layout->length - 1 - i);

	return c->data[at / 8] >> (layout->is_big ? 7 - (at & 7) : at & 7) & 1;
}

/* Reads 16, or 128 and more bits of IEEE 754. */
static double odd_float(const struct ctf_cursor *c, const struct ctf_layout *layout)
{
	const __u64 n = layout->length;
	const unsigned int w = n == 16 ? 5 : n == 128 ? 15 :
			       (unsigned int)lround(4 * log2((double)n)) - 13;
	const __u64 fraction = n - 1 - w;
	const int bias = (1 << (w - 1)) - 1;
	const double sign = bit(c, layout, n - 1) ? -1 : 1;
	double v = 0;
	int e = 0;

	for (unsigned int i = 0; i < w; i++)
		e |= (int)bit(c, layout, fraction + i) << i;
	for (__u64 i = 0; i < fraction; i++)
		v = (v + bit(c, layout, i)) / 2;
	if (e == (1 << w) - 1)
		return v != 0 ? NAN : sign * INFINITY;
	return sign * (e ? ldexp(1 + v, e - bias) : ldexp(v, 1 - bias));
}

static double real(const struct ctf_cursor *c, const struct ctf_layout *layout)
{
	const __u64 v = layout->length <= 64 ? bits(c, layout, (unsigned int)layout->length) : 0;
	const __u32 half = (__u32)v;
	double d;
	float f;

	memcpy(&d, &v, sizeof(d));
	memcpy(&f, &half, sizeof(f));
	return layout->length == 64 ? d : layout->length == 32 ? f : odd_float(c, layout);
}

static bool wide(struct ctf_cursor *c, const struct ctf_layout *layout, struct ctf_value *value)
{
	const __u64 digits = (layout->length + 3) / 4;
	char *text = get(c, digits + 3);

	if (!text)
		return false;
	memcpy(text, "0x", 2);
	for (__u64 i = 0; i < digits; i++) {
		unsigned int digit = 0;

		for (__u64 k = 4 * i; k < 4 * i + 4 && k < layout->length; k++)
			digit |= bit(c, layout, k) << (k & 3);
		text[2 + digits - 1 - i] = "0123456789abcdef"[digit];
	}
	text[2 + digits] = 0;
	value->text = text;
	value->nr = digits + 2;
	return true;
}

static bool any_bit(const struct ctf_cursor *c, const struct ctf_layout *layout)
{
	for (__u64 i = 0; i < layout->length; i++)
		if (bit(c, layout, i))
			return true;
	return false;
}

/* Sets the clock from a number of @n bits: the lower bits of its value. */
static void set_time(struct ctf_cursor *c, __u64 v, unsigned int n)
{
	const __u64 mask = n < 64 ? (1ull << n) - 1 : ~0ull;
	const __u64 high = c->time & ~mask;

	if (v < (c->time & mask))
		c->time = high + mask + 1 + v;
	else
		c->time = high + v;
}

static void take_roles(struct ctf_cursor *c, unsigned int roles, __u64 v, unsigned int n)
{
	const struct {
		enum ctf_role role;
		__u64 *to;
	} table[] = {
		{ CTF_ROLE_STREAM_CLASS, &c->facts.stream_class },
		{ CTF_ROLE_STREAM, &c->facts.stream },
		{ CTF_ROLE_MAGIC, &c->facts.magic },
		{ CTF_ROLE_DISCARDED, &c->facts.discarded },
		{ CTF_ROLE_CONTENT, &c->facts.content },
		{ CTF_ROLE_END_TIME, &c->facts.end_time },
		{ CTF_ROLE_SEQUENCE, &c->facts.sequence },
		{ CTF_ROLE_TOTAL, &c->facts.total },
		{ CTF_ROLE_EVENT_CLASS, &c->facts.event_class },
	};

	if (c->now > CTF_EVENT_HEADER)
		return;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (roles & table[i].role)
			*table[i].to = v;
	if (roles & CTF_ROLE_DISCARDED)
		c->facts.discarded_bits = n;
	if (roles & CTF_ROLE_TIME)
		set_time(c, v, n);
	c->facts.has |= roles;
}

static bool fixed(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value)
{
	const struct ctf_layout *layout = class->layout;
	const unsigned int n = (unsigned int)layout->length;

	if (!align(c, layout->align) || !has(c, layout->length))
		return false;
	if (class->kind == CTF_FLOAT || class->kind == CTF_DOUBLE)
		value->real = real(c, layout);
	else if (layout->form == CTF_WIDE && !wide(c, layout, value))
		return false;
	else if (class->kind == CTF_BOOL)
		value->number = any_bit(c, layout);
	else if (layout->form == CTF_FIXED)
		value->number = bits(c, layout, n);
	if (class->kind == CTF_SIGNED && n < 64)
		value->number = (__u64)((__s64)(value->number << (64 - n)) >> (64 - n));
	c->at += layout->length;
	if (layout->roles)
		take_roles(c, layout->roles, value->number, n < 64 ? n : 64);
	return true;
}

/* Decodes LEB128: seven bits a byte, least significant first. */
static bool leb128(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value)
{
	const bool is_signed = class->kind == CTF_SIGNED;
	unsigned int n = 0;
	unsigned char byte;
	__u64 v = 0;

	if (!align(c, 8))
		return false;
	do {
		if (!has(c, 8))
			return false;
		byte = c->data[c->at / 8];
		c->at += 8;
		/* Beyond 64 bits only the sign may follow. */
		if (n < 64)
			v |= (__u64)(byte & 0x7f) << n;
		if (n == 63 ? (byte & 0x7e) != (is_signed && byte & 1 ? 0x7e : 0) :
		    n > 63 && (byte & 0x7f) != (is_signed && v >> 63 ? 0x7f : 0))
			return fail(c, "a number has more than 64 bits");
		n += 7;
	} while (byte & 0x80);
	if (is_signed && n < 64 && byte & 0x40)
		v |= ~0ull << n;
	value->number = v;
	if (class->layout->roles)
		take_roles(c, class->layout->roles, v, n < 64 ? n : 64);
	return true;
}

/* Returns the value that a path goes on from: arrays, options and variants are passed through. */
static struct ctf_value *inside(struct ctf_value *v)
{
	while (v && v->class && (v->class->kind == CTF_ARRAY || v->class->kind == CTF_OPTION ||
				 v->class->kind == CTF_VARIANT)) {
		if (v->class->kind == CTF_ARRAY)
			v = v->option ? &v->items[v->nr] : NULL;
		else
			v = v->nr ? v->items : NULL;
	}
	return v && v->class ? v : NULL;
}

static struct ctf_value *member(struct ctf_value *v, const char *name)
{
	v = inside(v);
	if (!v || v->class->kind != CTF_STRUCT || !name)
		return NULL;
	for (__u64 i = 0; i < v->nr; i++) {
		const struct ctf_member *m = &v->class->members[i];

		if (v->items[i].class && !strcmp(m->key ? m->key : m->name, name))
			return &v->items[i];
	}
	return NULL;
}

/* Finds a number decoded before; NULL: fail() */
static const struct ctf_value *locate(struct ctf_cursor *c, const struct ctf_location *where,
				      const struct frame *frame)
{
	struct ctf_value *v = NULL;
	__u32 i = 0;

	if (where->scope < CTF_SCOPES) {
		v = &c->scopes[where->scope];
	} else {
		for (; i < where->nr && !where->path[i] && frame; i++)
			frame = frame->up;
		while (where->is_outward && frame && !member(frame->value, where->path[0]))
			frame = frame->up;
		v = frame ? frame->value : NULL;
	}
	for (; i < where->nr && v; i++)
		v = member(v, where->path[i]);
	v = inside(v);
	if (v && v->class->kind <= CTF_BITS)
		return v;
	fail(c, "the length or selector of a field is missing");
	return NULL;
}

static bool length(struct ctf_cursor *c, const struct ctf_layout *layout,
		   const struct frame *frame, __u64 *nr)
{
	const struct ctf_value *v;

	*nr = layout->length;
	if (layout->form != CTF_COUNTED)
		return true;
	v = locate(c, &layout->where, frame);
	if (v)
		*nr = v->number;
	return v;
}

static bool text(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		 const struct frame *frame)
{
	const struct ctf_layout *layout = class->layout;
	const unsigned char *from;
	__u64 nr, left;
	char *to;

	if (!align(c, layout->align))
		return false;
	from = c->data + c->at / 8;
	left = (c->end - c->at) / 8;
	if (layout->form == CTF_TERMINATED)
		nr = text_find_end(layout->encoding, from, left);
	else if (!length(c, layout, frame, &nr))
		return false;
	if (nr > left)
		return fail(c, "the packet ends within text");
	to = get(c, text_room(layout->encoding, nr));
	if (!to)
		return false;
	value->nr = text_to_utf8(layout->encoding, from, nr, to);
	value->text = to;
	c->at += 8 * nr;
	return true;
}

static bool bytes(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		  const struct frame *frame)
{
	__u64 nr;
	char *to;

	if (!align(c, class->layout->align) || !length(c, class->layout, frame, &nr))
		return false;
	if (nr > (c->end - c->at) / 8)
		return fail(c, "the packet ends within bytes");
	to = get(c, nr + 1);
	if (!to)
		return false;
	memcpy(to, c->data + c->at / 8, nr);
	to[nr] = 0;
	value->text = to;
	value->nr = nr;
	c->at += 8 * nr;
	if (class->layout->roles & CTF_ROLE_UUID && nr == 16)
		c->facts.uuid = value->text;
	return true;
}

static struct ctf_value *get_items(struct ctf_cursor *c, __u64 nr)
{
	const size_t size = (size_t)nr * sizeof(struct ctf_value);
	struct ctf_value *items = get(c, size + !size);

	if (items)
		memset(items, 0, size);
	return items;
}

static bool structure(struct ctf_cursor *c, const struct ctf_class *class,
		      struct ctf_value *value, const struct frame *up)
{
	const struct frame frame = { value, up };

	value->items = get_items(c, class->member_nr);
	if (!value->items || !align(c, class->layout->align))
		return false;
	value->nr = class->member_nr;
	for (__u32 i = 0; i < class->member_nr; i++)
		if (!decode(c, class->members[i].class, &value->items[i], &frame))
			return false;
	return true;
}

static bool array(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		  const struct frame *frame)
{
	const struct ctf_layout *inner = class->inner->layout;
	const bool is_fixed = class->inner->kind <= CTF_DOUBLE && inner->form == CTF_FIXED;
	__u64 nr;

	if (!align(c, class->layout->align) || !length(c, class->layout, frame, &nr))
		return false;
	/* An element without bits counts as one bit, so that the number is limited. */
	if (nr > (c->end - c->at) / (is_fixed ? inner->length : 1) && nr)
		return fail(c, "the packet ends within an array");
	value->items = get_items(c, nr);
	if (!value->items)
		return false;
	value->option = 1;
	for (value->nr = 0; value->nr < nr; value->nr++)
		if (!decode(c, class->inner, &value->items[value->nr], frame))
			return false;
	value->option = 0;
	return true;
}

static bool option(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		   const struct frame *frame)
{
	const struct ctf_ranges *ranges = &class->layout->ranges;
	const struct ctf_value *selector = locate(c, &class->layout->where, frame);

	if (!selector)
		return false;
	if (ranges->nr ? !ctf_ranges_have(ranges, (__s64)selector->number,
					  selector->class->kind == CTF_SIGNED) :
			 !selector->number)
		return true;
	value->items = get_items(c, 1);
	value->nr = 1;
	return value->items && decode(c, class->inner, value->items, frame);
}

/* True for the same name; one of them may have an underscore in front, as keywords get in TSDL. */
static bool is_label(const char *option, const char *label)
{
	return !strcmp(option, label) || (option[0] == '_' && !strcmp(option + 1, label)) ||
	       (label[0] == '_' && !strcmp(option, label + 1));
}

/* Gives an option of TSDL the values that have its name in the enum. */
static bool take_label(struct ctf_member *option, const struct ctf_class *selector)
{
	const char *name = option->key ? option->key : option->name;
	const struct ctf_member *found = NULL;

	for (__u32 i = 0; i < selector->member_nr && !found; i++)
		if (!strcmp(name, selector->members[i].name))
			found = &selector->members[i];
	for (__u32 i = 0; i < selector->member_nr && !found; i++)
		if (is_label(name, selector->members[i].name))
			found = &selector->members[i];
	option->ranges.nr = 0;
	free(option->ranges.at);
	option->ranges.at = NULL;
	return !found || ctf_ranges_copy(&option->ranges, &found->ranges);
}

static bool take_labels(struct ctf_cursor *c, const struct ctf_class *class,
			const struct ctf_class *selector)
{
	if (!selector->member_nr || class->layout->selector == selector)
		return true;
	for (__u32 i = 0; i < class->member_nr; i++)
		if (!take_label(&class->members[i], selector))
			return fail(c, "out of memory");
	class->layout->selector = selector;
	return true;
}

static bool variant(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		    const struct frame *frame)
{
	const struct ctf_value *selector = locate(c, &class->layout->where, frame);
	__u32 i = 0;

	if (!selector || !take_labels(c, class, selector->class))
		return false;
	while (i < class->member_nr &&
	       !ctf_ranges_have(&class->members[i].ranges, (__s64)selector->number,
				selector->class->kind == CTF_SIGNED))
		i++;
	if (i == class->member_nr)
		return fail(c, "a variant has no option for its selector");
	value->option = i;
	value->items = get_items(c, 1);
	value->nr = 1;
	return value->items && decode(c, class->members[i].class, value->items, frame);
}

static bool decode(struct ctf_cursor *c, const struct ctf_class *class, struct ctf_value *value,
		   const struct frame *frame)
{
	value->class = class;
	switch (class->kind) {
	case CTF_TEXT:
		return class->layout->form == CTF_WIDE ? fixed(c, class, value) :
		       text(c, class, value, frame);
	case CTF_BYTES:
		return bytes(c, class, value, frame);
	case CTF_STRUCT:
		return structure(c, class, value, frame);
	case CTF_ARRAY:
		return array(c, class, value, frame);
	case CTF_OPTION:
		return option(c, class, value, frame);
	case CTF_VARIANT:
		return variant(c, class, value, frame);
	default:
		return class->layout->form == CTF_LEB128 ? leb128(c, class, value) :
		       fixed(c, class, value);
	}
}

bool ctf_decode(struct ctf_cursor *c, enum ctf_scope scope, const struct ctf_class *class)
{
	memset(&c->scopes[scope], 0, sizeof(c->scopes[scope]));
	c->fault = NULL;
	c->now = scope;
	return !class || decode(c, class, &c->scopes[scope], NULL);
}
