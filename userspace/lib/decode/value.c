// SPDX-License-Identifier: LGPL-2.1
/*
 * value.c - extracts the values of a payload, one after the other
 *
 * The payload is packed and may be shorter than its type says: the value that is cut off is
 * delivered as far as it goes and marked, later ones are not delivered. A placed type (format.c)
 * always has all its values, marked where the payload does not reach.
 */
#include "value.h"

#include "syscall.h"

/* No table of system calls has fewer names. */
#define SYSCALLS_MIN 100u

void ktrace_values_init(struct ktrace_values *it, const struct ktrace_event_type *type,
			const void *payload, size_t len)
{
	it->type = type;
	it->at = payload;
	it->end = it->at + len;
	it->next = 0;
}

static void take_string(struct ktrace_values *it, struct ktrace_value *v)
{
	size_t left = (size_t)(it->end - it->at);
	size_t n = strnlen(it->at, left);

	v->count = (__u32)n;
	v->is_cut = n == left;
	it->at += n + !v->is_cut;
}

static void take_elements(struct ktrace_values *it, struct ktrace_value *v, __u32 count)
{
	__u32 size = v->field->size;
	size_t left = (size_t)(it->end - it->at) / size;

	v->is_cut = count > left;
	v->count = v->is_cut ? (__u32)left : count;
	it->at = v->is_cut ? it->end : it->at + (size_t)count * size;
}

/*
 * Finds the bytes of a placed field, which may hold their position itself. Returns false if the
 * payload is too short for that.
 */
static bool find_bytes(const struct ktrace_values *it, const struct ktrace_field *f,
		       size_t *off, size_t *n)
{
	size_t len = (size_t)(it->end - it->at);
	__u32 loc;

	*off = f->offset;
	*n = (size_t)f->size * (f->shape == KTRACE_FIXED ? f->count : 1);
	if (f->place == KTRACE_AT)
		return true;
	if (len < sizeof(loc) || f->offset > len - sizeof(loc))
		return false;
	memcpy(&loc, it->at + f->offset, sizeof(loc));
	*off = loc & 0xffff;
	*n = loc >> 16;
	if (f->place == KTRACE_REL_LOC)
		*off += f->offset + sizeof(loc);
	return true;
}

/* Extracts the next value of a placed type. @it->at stays at the payload's beginning. */
static bool next_placed(struct ktrace_values *it, struct ktrace_value *v)
{
	const struct ktrace_field *f = &it->type->fields[it->next++];
	size_t len = (size_t)(it->end - it->at), off, n, left;

	v->field = f;
	if (!find_bytes(it, f, &off, &n) || off > len)
		off = len;
	left = len - off;
	v->data = it->at + off;
	v->is_cut = off == len ? n || f->place == KTRACE_AT : n > left;
	if (n > left)
		n = left;
	if (f->shape == KTRACE_COUNTED)
		v->is_cut |= n % f->size != 0;
	v->count = f->shape == KTRACE_STRING ? (__u32)strnlen(v->data, n) : (__u32)(n / f->size);
	return true;
}

bool ktrace_values_next(struct ktrace_values *it, struct ktrace_value *v)
{
	__u32 count = 1;

	if (it->next == it->type->field_nr || it->at == it->end)
		return false;
	if (it->type->is_placed)
		return next_placed(it, v);
	v->field = &it->type->fields[it->next++];
	v->data = it->at;
	if (v->field->shape == KTRACE_STRING) {
		take_string(it, v);
		return true;
	}
	if (v->field->shape == KTRACE_FIXED)
		count = v->field->count;
	if (v->field->shape == KTRACE_COUNTED) {
		if ((size_t)(it->end - it->at) < sizeof(count)) {
			v->count = 0;
			v->is_cut = true;
			it->at = it->end;
			return true;
		}
		memcpy(&count, it->at, sizeof(count));
		it->at += sizeof(count);
		v->data = it->at;
	}
	take_elements(it, v, count);
	if (v->field->enum_nr > SYSCALLS_MIN)
		ktrace_syscall_choose(v, it->end);
	return true;
}

__s64 ktrace_value_s64(const struct ktrace_value *v, __u32 i)
{
	return integer_at(v->data + (size_t)i * v->field->size, v->field->scalar);
}

double ktrace_value_f64(const struct ktrace_value *v, __u32 i)
{
	const char *at = v->data + (size_t)i * v->field->size;

	if (v->field->scalar == KTRACE_F32)
		return (double)ELEMENT(float, at);
	if (v->field->scalar == KTRACE_F64)
		return ELEMENT(double, at);
	return (double)ktrace_value_s64(v, i);
}
