/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_stamps.h - places stamps on the time line of a tracefile
 *
 * A tracefile has stamps from 0 on, and times from 1970 on. A clock of another tracer may have
 * stamps before its zero, as two's complement: then the file's clock begins earlier by the first
 * stamp. What cannot be expressed at all gets the nearest stamp, and is counted.
 */
#ifndef VIEWER_IMPORT_IMPORT_STAMPS_H
#define VIEWER_IMPORT_IMPORT_STAMPS_H

#include <linux/types.h>
#include <stdbool.h>

#include <ktrace/decode.h>

/**
 * struct import_stamps - the time line of a tracefile
 * @raw:	a stamp of the input
 * @real_ns:	time since the epoch at @raw, 0 = unknown; before 1970: negative
 * @keeps_zero:	stamps keep their values: earlier ones than 0 get 0
 * @is_begun:	the first stamp is known
 * @first:	the first stamp of the input
 * @first_at:	the file's stamp for it
 * @last_at:	the last stamp that the file can have
 * @shift:	the file's stamps are later by this much
 * @early:	number of stamps before the file's first one
 * @late:	number of stamps after @last_at
 */
struct import_stamps {
	__u64 raw;
	__u64 real_ns;
	bool keeps_zero;
	bool is_begun;
	__u64 first;
	__u64 first_at;
	__u64 last_at;
	__u64 shift;
	__u64 early;
	__u64 late;
};

/** import_stamps_begin - choose the file's zero, by the first stamp */
void import_stamps_begin(struct import_stamps *s, __u64 first);

/**
 * import_stamps_zero - time since the epoch at stamp 0 of the input, which is @shift in the file
 *
 * Return: 0: it is unknown, or before 1970.
 */
__u64 import_stamps_zero(const struct import_stamps *s);

/** import_stamps_place - the file's stamp for a stamp of the input */
__u64 import_stamps_place(struct import_stamps *s, __u64 ts);

/**
 * import_stamps_say - say which times are wrong
 * @s:		the time line
 * @out:	a sentence is appended to it
 *
 * Return: false: there is nothing to say.
 */
bool import_stamps_say(const struct import_stamps *s, struct ktrace_out *out);

#endif
