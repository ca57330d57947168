/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_file.h - the tracefile: append-only, self-describing, readable at any length
 *
 *   struct ktrace_file | section | section | ... | INDEX | END
 *   section = struct ktrace_section, body, padding to 8
 *
 * - A reader walks from section to section. A section that is cut off by the end
 *   of the file is where a crash or a live writer stands: what is before it is whole.
 * - A section whose checksum is wrong is reported with its offset and skipped; the
 *   next one is found by its size if the header is sane, by searching for the magic
 *   at multiples of 8 otherwise.
 * - Types that are not known are skipped if KTRACE_SECTION_MAY_IGNORE is set,
 *   refused otherwise.
 * - END says where INDEX is; without END the index is rebuilt by walking.
 * - All numbers are in the byte order of the machine that recorded; the magic tells.
 *
 * META body: lines of text, one fact each: a keyword, then key=value pairs, all
 * separated by one space. In values, bytes <= 0x20, 0x7f and '%' are written %XX.
 * Unknown keywords and keys are ignored. Later lines add to earlier ones.
 *
 *   trace    version= start_ns=(CLOCK_REALTIME) backend=dev|shm clock=tsc|monotonic cmd=
 *   host     name= kernel= machine= cpus= boot=(boot id)
 *   clock    raw= mono_ns= real_ns= boot_ns= hz=   one reading of all clocks; the first
 *            one comes before any BLOCK, more follow; hz is an estimate, in raw ticks
 *   stream   id= kind=kernel|user cpu= | thread=(ring index) ring= block= policy=
 *   event    kind=kernel|user id= desc=(ktrace_events.h)
 *   process  pid= ppid= ts=(raw, from then on) comm= exe= build=
 *   thread   tid= pid= ts=(raw) comm=
 *   end      status=(of the command) reason=
 *
 * BLOCK body: bytes [pos, pos + raw_size) of the stream's ring as they were in
 * memory, up to one block: it begins with struct ktrace_block if pos is a multiple
 * of the stream's block size. Sections of a stream come in order of pos; a gap in
 * pos is lost data, explained by a LOST section or record.
 *
 * LOST body: struct ktrace_lost of the stream; its place in time is first_ts. It is
 * written when the reader lost something, and once for each stream at the end.
 *
 * INDEX body: struct ktrace_index[], one for each META, BLOCK and LOST section, in
 * file order.
 */
#ifndef _LINUX_KTRACE_FILE_H
#define _LINUX_KTRACE_FILE_H

#include <linux/types.h>
#include <linux/ktrace_ring.h>

#define KTRACE_FILE_MAGIC "KTRACE\r\n"
#define KTRACE_FILE_VERSION 1u
#define KTRACE_FILE_BYTE_ORDER 0x01020304u

/**
 * struct ktrace_file - begins the file
 * @magic:	KTRACE_FILE_MAGIC, no NUL
 * @version:	KTRACE_FILE_VERSION
 * @byte_order:	KTRACE_FILE_BYTE_ORDER as the recording machine writes it
 * @header_size: sizeof(struct ktrace_file); the first section follows
 * @reserved:	0
 * @uuid:	random, names the trace
 * @reserved2:	0
 */
struct ktrace_file {
	char magic[8];
	__u32 version;
	__u32 byte_order;
	__u32 header_size;
	__u32 reserved;
	__u8 uuid[16];
	__u64 reserved2[3];
};

#define KTRACE_SECTION_MAGIC 0x4b545343u
#define KTRACE_SECTION_ALIGN 8u
#define KTRACE_SECTION_SIZE_MAX (1u << 30)
/* A META body is not longer; more text goes into more sections. */
#define KTRACE_META_SIZE_MAX (1u << 20)

enum ktrace_section_type {
	KTRACE_SECTION_META = 1,
	KTRACE_SECTION_BLOCK = 2,
	KTRACE_SECTION_LOST = 3,
	KTRACE_SECTION_INDEX = 4,
	KTRACE_SECTION_END = 5,
};

#define KTRACE_SECTION_MAY_IGNORE (1u << 0)
#define KTRACE_SECTION_ZSTD (1u << 1)

/**
 * struct ktrace_section - begins each section
 * @magic:	KTRACE_SECTION_MAGIC
 * @type:	enum ktrace_section_type
 * @flags:	KTRACE_SECTION_*
 * @stream:	BLOCK, LOST: id of the stream
 * @crc:	CRC-32C of this header with @crc = 0, then of the body as stored
 * @size:	bytes of the body as stored, padding not counted
 * @first_ts:	BLOCK: stamp of the first record; LOST: place in time (raw clock)
 * @last_ts:	BLOCK: largest stamp
 * @pos:	BLOCK, LOST: position in the ring; END: file offset of INDEX, 0 = none
 * @records:	BLOCK: records other than padding and LOST
 * @lost:	LOST: newly lost records, saturated
 * @raw_size:	BLOCK: bytes of the body when not compressed
 * @reserved:	0
 */
struct ktrace_section {
	__u32 magic;
	__u16 type;
	__u16 flags;
	__u32 stream;
	__u32 crc;
	__u64 size;
	__u64 first_ts;
	__u64 last_ts;
	__u64 pos;
	__u32 records;
	__u32 lost;
	__u32 raw_size;
	__u32 reserved;
};

/**
 * struct ktrace_index - one entry of the index
 * @offset:	of the section in the file
 * @first_ts:	as in the section
 * @last_ts:	as in the section
 * @pos:	as in the section
 * @stream:	as in the section
 * @records:	as in the section
 * @type:	as in the section
 * @lost:	as in the section
 */
struct ktrace_index {
	__u64 offset;
	__u64 first_ts;
	__u64 last_ts;
	__u64 pos;
	__u32 stream;
	__u32 records;
	__u32 type;
	__u32 lost;
};

#endif
