/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_file.h - the tracefile: append-only, self-describing, readable at any length
 *
 *   struct ktrace_file | section | section | ... | INDEX | END
 *   section = struct ktrace_section, body, padding (0) to 8
 *
 * All numbers are in the byte order of the machine that recorded; byte_order tells.
 *
 * 1. From section to section
 *
 *   - END is the last 64 bytes of a file that is complete. It says where INDEX is, and that
 *     says where all sections are that must not be ignored. Without END, or if one of them
 *     is damaged, a reader walks: the next section begins where a body ends, rounded up
 *     to 8. What follows END is reported and not read.
 *   - A section whose body reaches behind the end of the file, or less than a header, is
 *     where a crash or a live writer stands: what is before it is whole.
 *   - A section is damaged if its checksum is wrong or its size is more than its type can
 *     have. It is reported with its offset and skipped. If its size is possible, and the
 *     magic of a section or the end of the file is where it ends, go on there; otherwise
 *     at the first multiple of 8 where there is a section whose checksum is right. If there
 *     is one behind a section that seems to be cut off, the latter is damaged.
 *   - A type that is not known is skipped if KTRACE_SECTION_MAY_IGNORE is set; otherwise
 *     reading ends there, and that is an error. The flag says nothing about known types.
 *   - BLOCK with KTRACE_SECTION_ZSTD: the body as stored is one zstd frame (RFC 8878), with
 *     no dictionary and nothing behind it, that gives raw_size bytes. If it does not, the
 *     section is damaged. In one file some blocks may be compressed and others not.
 *   - Otherwise, a known type with another flag than MAY_IGNORE, or with raw_size other than
 *     size, is stored in an unknown way: it is reported and skipped.
 *
 * 2. META body: lines of text, one fact each, "\n" behind each: a keyword, then key=value
 * pairs, all separated by one space. In values, bytes <= 0x20, 0x7f and '%' are written %XX,
 * XX hexadecimal. Numbers are decimal. Unknown keywords and keys are ignored, a line that
 * lacks what it needs, or has a NUL (as byte or as %00), is reported and left out. Lines may
 * come again; of an event's descriptions the first holds, of all else the latest. Keys in
 * brackets may be missing.
 * A kind, policy, backend or clock may have a name that is not known: records of such a kind
 * are shown without name and fields, event lines of that kind are ignored.
 *
 *   trace    version= start_ns=(CLOCK_REALTIME) backend=dev|shm clock=tsc|monotonic [cmd=]
 *            [cut=](what was taken out of an older file, of which this is a part)
 *            [scope=followed](kernel events are of followed processes only)
 *   host     name= kernel= machine= [x32=1] cpus= boot=(boot id)
 *   clock    raw= mono_ns= real_ns= [boot_ns=] [hz=](raw ticks a second, an estimate;
 *            10^9 if missing)   one reading of all clocks, see 4; the first one comes before
 *            any BLOCK, more follow, each with a larger raw
 *   stream   id= kind=kernel|user [cpu=] [thread=(ring index)] ring=(bytes) block=(bytes)
 *            policy=drop|overwrite|block|stop   before the stream's first section
 *            [pos= records= lost=(counts of struct ktrace_lost, by commas)]   where it goes on
 *            from in this part, and what the parts before have had and told of it
 *   event    kind=kernel|user id= desc=(ktrace_events.h)   an id is one of its kind; may come
 *            soon after the first BLOCK that has the event
 *   format   id= name=(provider:name) [probe=(what was asked for)] text=(the file "format" of
 *            tracefs)   the same for a kernel event from KTRACE_EV_DYNAMIC on: its payload is
 *            laid out as the text says. Comes before the first BLOCK that has the event
 *   process  pid= ppid= ts=(raw, from then on) comm= [exe=] [build=](build id)
 *            [maps=own|parent]   also names the thread whose tid is pid. With maps=own the code
 *            it has is in its map lines from ts on, with maps=parent also in what ppid had at
 *            ts: it is the child of a fork, which has what its parent had then
 *   origin   pid= ts=(as above) maps=own|parent [ppid=]   the same of code alone, without a name:
 *            the process executed a program, or is the child of a fork
 *   thread   tid= pid= ts=(as above) comm=   before the first one of a tid, that holds too;
 *            a thread that gets another name has another line
 *   exit     pid= ts=   the process has ended by then, and is not there any more
 *   ids      first= nr= ts= ns=(inode of a pid namespace, 0 = not known) inner= [since=]   nr ids
 *            of processes and threads from first on are the numbers from inner on there
 *   map      pid= ts=(as above) start= end=(addresses, first and behind the last) [offset=]
 *            [build=] [path=]   there is code from offset on of the file that was at path;
 *            without path, nothing that is known. Where lines overlap, the later one holds
 *   stack    id= kind=kernel|user [pid=](of a program's) ts=(as above) [cut=1](there may be more)
 *            addresses=(hexadecimal, by commas, the innermost first)   what the number in a
 *            record's context means, ktrace_context.h; may come soon after it. Of these lines, and
 *            the next three, with the same id, start or name the first holds
 *   cgroup   id= path=(in its hierarchy)   the same of a control group
 *   symbol   start= end=(addresses, first and behind the last) name=   function of the kernel; what
 *            is a module's has " [MODULE]" in its name
 *   image    name=vmlinux|(module) [build=](build id) [text=](address of its section .text)
 *            what such a function is in
 *   choice   ts=(raw, from then on) [levels=](of the events pthread:*, as ktraced --level)
 *            [events=](as ktraced -e, without what is in braces) [filters=](of these entries
 *            those that have something in braces, with that) [where=](as ktraced --where)
 *            which events are recorded; what is missing is not chosen among
 *   posix    version= word= set= generation= name= resolution_ns= created_ns= stream_size=
 *            log_size= data_size= stream_policy= log_policy= inheritance=   the file is the log
 *            of a POSIX trace stream, whose attributes these are: numbers of <trace.h>. @word:
 *            bits of a pointer, @set: bytes of a trace_event_set_t. One more when it is complete,
 *            with its status instead: stream_full= stream_overrun= flush_error=
 *            stream_lost=(counts of struct ktrace_lost, by commas) log_full= log_overrun=
 *            log_overwritten= log_unwritten=(events) last_raw= last_mono_ns=(last reading)
 *   part     number= [keep=(so many are kept) [removed=(parts up to this one) removed_events=]]
 *            ends what a part begins with, see 5
 *   missed   name=(as in format) count=   so many hits of a kernel tracepoint have no record: the
 *            kernel made none. They are part of what streams lost for the reason "nested"
 *   end      [status=](of the command, as a shell has it) reason=
 *
 * 3. Streams. A stream has the events of one ring; a file has as many as rings were used.
 *
 * BLOCK body: bytes [pos, pos + raw_size) of the stream's ring as they were in memory,
 * up to one block: it begins with struct ktrace_block if pos is a multiple of the
 * stream's block size, and with a record otherwise. It has whole records. If the header's
 * magic or pos is wrong, the section is damaged; a record that reaches behind the body's
 * end is reported and ends the section. Other sections are as good as before.
 * Sections of a stream come in order of pos; a gap in pos is lost data, explained by a
 * LOST section or record.
 *
 * LOST body: struct ktrace_lost of the stream; its place in time is first_ts. It is
 * written when the reader lost something, and once for each stream at the end. Behind it
 * there may be counts of reasons of a later version: if one is not 0, that is reported.
 *
 * INDEX body: struct ktrace_index[], one for each META, BLOCK and LOST section, and for any
 * of a later version that must not be ignored, in file order. It may list others that may
 * be ignored, for who knows them. A section that reaches into the next one that is listed, or
 * into INDEX, is damaged.
 *
 * 4. Time. Stamps are raw values of the session's clock. Between two readings i and j that
 * follow each other the clocks run evenly; before the first and behind the last one the
 * neighbour's rate holds, or hz ticks a second if there is only one:
 *
 *   mono(ts) = mono_ns_i + (ts - raw_i) * (mono_ns_j - mono_ns_i) / (raw_j - raw_i)
 *   time(ts) = mono(ts) + real_ns - mono_ns of the first reading
 *
 * with the second summand of mono cut off to whole ns. So time is ns since the epoch, and
 * does not follow a wall clock that is set. Traces with the same boot= take real_ns - mono_ns
 * of one of them, so that times compare as stamps do.
 *
 * If boot_ns - mono_ns grew by 10 ms or more from i to j, the machine slept, and mono stood
 * still. Let awake and asleep be mono_ns_j - mono_ns_i and what boot_ns - mono_ns grew by, in
 * ticks at the rate before i (hz if i is the first). If awake + asleep / 2 is less than
 * raw_j - raw_i, the counter ran on: mono goes on at the rate before i, but for its last
 * soft ns, which are the lesser of 4 ms and an eighth of mono_ns_j - mono_ns_i. Of these it
 * takes the first half, rounded down, up to raw_j - awake, if that is later than the place it
 * has reached, and the rest up to raw_j. The rate before i then holds behind j.
 *
 * 5. Parts. A trace can be in several files, of which each can be read alone. They have the same
 * uuid, and part numbers from 1 on. A part has what was known when it began: lines trace and
 * host, the first reading of the clocks and some of the latest, all lines event, process,
 * thread, map, stack, cgroup and symbol, and of streams that parts before it had, where they go
 * on; then line part, in a section of its own. Who reads several parts reads them in order of
 * their numbers, as if all their sections were in one file: streams, fragments, losses and gaps
 * go on from one part to the next, and a reading of the clocks that there is already is left
 * out. Behind parts that are missing, lost= says what of cumulative counts is no loss of this
 * part, if none before is there. Line end is in the last part only.
 *
 * Events of all streams are merged by time; those of one stream stay in the order of the
 * file, even where a hostile program lets stamps go back.
 */
#ifndef _LINUX_KTRACE_FILE_H
#define _LINUX_KTRACE_FILE_H

#include <linux/types.h>
#include <linux/ktrace_ring.h>

#define KTRACE_FILE_MAGIC "KTRACE\r\n"
#define KTRACE_FILE_VERSION 1u
#define KTRACE_FILE_BYTE_ORDER 0x01020304u
#define KTRACE_PART_MAX 0x7ffffu

/**
 * struct ktrace_file - begins the file
 * @magic:	KTRACE_FILE_MAGIC, no NUL
 * @version:	KTRACE_FILE_VERSION; a reader refuses others
 * @byte_order:	KTRACE_FILE_BYTE_ORDER as the recording machine writes it; a reader may
 *		refuse what is not its own
 * @header_size: 64 in this version; the first section follows
 * @part:	number of this part if the trace is in several files, from 1 on; 0 = it is whole
 * @uuid:	random, names the trace; its parts have the same one
 * @reserved2:	0
 *
 * Reserved fields, here and below, are not looked at.
 */
struct ktrace_file {
	char magic[8];
	__u32 version;
	__u32 byte_order;
	__u32 header_size;
	__u32 part;
	__u8 uuid[16];
	__u64 reserved2[3];
};

#define KTRACE_SECTION_MAGIC 0x4b545343u
#define KTRACE_SECTION_ALIGN 8u
#define KTRACE_SECTION_SIZE_MAX (1u << 30)
/*
 * A META body is not longer; more text goes into more sections. A BLOCK body has at most
 * KTRACE_BLOCK_MAX bytes, as stored and as it was in the ring, END none.
 */
#define KTRACE_META_SIZE_MAX (1u << 20)
#define KTRACE_LOST_SIZE_MAX 512u

enum ktrace_section_type {
	KTRACE_SECTION_META = 1,
	KTRACE_SECTION_BLOCK = 2,
	KTRACE_SECTION_LOST = 3,
	KTRACE_SECTION_INDEX = 4,
	KTRACE_SECTION_END = 5,
};

#define KTRACE_SECTION_MAY_IGNORE (1u << 0)
#define KTRACE_SECTION_ZSTD (1u << 1)	/* BLOCK: the body is a zstd frame */

/**
 * struct ktrace_section - begins each section
 * @magic:	KTRACE_SECTION_MAGIC
 * @type:	enum ktrace_section_type
 * @flags:	KTRACE_SECTION_*
 * @stream:	BLOCK, LOST: id of the stream
 * @crc:	CRC-32C (polynomial 0x82f63b78 reflected, begun with and XORed with ~0:
 *		0xe3069283 for "123456789") of this header with @crc = 0, then of the body as
 *		stored, without padding
 * @size:	bytes of the body as stored, padding not counted
 * @first_ts:	BLOCK: stamp of the first record; LOST: place in time (raw clock)
 * @last_ts:	BLOCK: largest stamp
 * @pos:	BLOCK, LOST: position in the ring; END: file offset of INDEX, 0 = none
 * @records:	BLOCK: records other than padding and LOST
 * @lost:	LOST: newly lost records, saturated
 * @raw_size:	bytes of the body when not compressed, not more than @size may be
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
