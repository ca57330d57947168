/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_file.h - the tracefile: append-only, self-describing, readable at any length
 *
 *   struct ktrace_file | section | section | ... | INDEX | END
 *   section = struct ktrace_section, body, padding (0) to 8
 *
 * All numbers are in the byte order of the recording machine, which byte_order shows.
 *
 * 1. From section to section
 *
 *   - END is the last 64 bytes of a complete file. It has the place of INDEX, which has the
 *     places of all sections that must not be ignored. Without END, or if one of them
 *     is damaged, a reader walks: the next section begins at the end of a body, rounded up
 *     to 8. Data after END is reported and not read.
 *   - If a section's body extends beyond the end of the file, or less than a header is left,
 *     a crash or a live writer left it incomplete: the sections before it are complete.
 *   - A section is damaged if its checksum is wrong or its size exceeds the limit of its
 *     type. A reader reports it with its offset and skips it. If its size is possible, and its
 *     end is the magic of a section or the end of the file, the reader continues there;
 *     otherwise at the first multiple of 8 that has a section with a correct checksum. If
 *     such a section follows one that seems to be cut off, the latter is damaged.
 *   - An unknown type is skipped if KTRACE_SECTION_MAY_IGNORE is set; otherwise
 *     reading ends there with an error. The flag has no meaning for known types.
 *   - BLOCK with KTRACE_SECTION_ZSTD: the body as stored is one zstd frame (RFC 8878), with
 *     no dictionary and nothing after it, that decompresses to raw_size bytes. Otherwise the
 *     section is damaged. A file may have both compressed and uncompressed blocks.
 *   - Otherwise, a known type with a flag other than MAY_IGNORE, or with raw_size other than
 *     size, is stored in an unknown way: it is reported and skipped.
 *
 * 2. META body: lines of text, one fact each, each ended by "\n": a keyword, then key=value
 * pairs, all separated by one space. In values, bytes <= 0x20, 0x7f and '%' are written %XX,
 * XX hexadecimal. Numbers are decimal. Readers ignore unknown keywords and keys; they report
 * and skip a line that lacks a required key, or has a NUL (as byte or as %00). Lines may
 * be repeated; the first description of an event is valid, and the latest of all other lines.
 * Keys in brackets may be missing.
 * A kind, policy, backend or clock may have an unknown name: records of such a kind
 * are shown without name and fields, event lines of that kind are ignored.
 *
 *   trace    version= start_ns=(CLOCK_REALTIME) backend=dev|shm clock=tsc|monotonic [cmd=]
 *            [cut=](how this file was extracted from an older one)
 *            [scope=followed](kernel events are of followed processes only)
 *   host     name= kernel= machine= [x32=1] cpus= boot=(boot id)
 *   clock    raw= mono_ns= real_ns= [boot_ns=] [hz=](raw ticks per second, an estimate;
 *            10^9 if missing) [max_error_ns= est_error_ns= freq_ppb=(may be negative)
 *            synced=0|1](all four or none) [raw_mono_ns=]   one reading of all clocks, see 4; the
 *            first one comes before any BLOCK, more follow, each with a larger raw. See 6 for the
 *            last five keys
 *   stream   id= kind=kernel|user [cpu=] [thread=(ring index)] ring=(bytes) block=(bytes)
 *            policy=drop|overwrite|block|stop   before the stream's first section
 *            [pos= records= lost=(counts of struct ktrace_lost, by commas)]   where the stream
 *            continues in this part, and the records and losses in earlier parts
 *   event    kind=kernel|user id= desc=(ktrace_events.h)   an id is unique in its kind; may come
 *            soon after the first BLOCK that has the event
 *   format   id= name=(provider:name) [probe=(as requested)] text=(the file "format" of
 *            tracefs)   the same for a kernel event from KTRACE_EV_DYNAMIC on: the text
 *            describes its payload. Comes before the first BLOCK that has the event
 *   process  pid= ppid= ts=(raw, from then on) comm= [exe=] [build=](build id)
 *            [maps=own|parent]   also names the thread whose tid is pid. With maps=own its map
 *            lines from ts on list its code; with maps=parent the code that ppid had at ts
 *            is added, because the process is the child of a fork
 *   origin   pid= ts=(as above) maps=own|parent [ppid=]   the same for code alone, without a
 *            name: the process executed a program, or is the child of a fork
 *   thread   tid= pid= ts=(as above) comm=   the first line of a tid is also valid before ts;
 *            a thread that changes its name has another line
 *   exit     pid= ts=   the process had ended by then
 *   ids      first= nr= ts= ns=(inode of a pid namespace, 0 = unknown) inner= [since=]   nr ids
 *            of processes and threads from first on are the numbers from inner on there
 *   map      pid= ts=(as above) start= end=(addresses, first and after the last) [offset=]
 *            [build=] [path=]   this range maps code from offset on of the file that was at path;
 *            without path, unknown code. Where lines overlap, the later one is valid
 *   stack    id= kind=kernel|user [pid=](user stacks) ts=(as above) [cut=1](there may be more)
 *            addresses=(hexadecimal, by commas, the innermost first)
 *            [code=](ids of their code, likewise, 0 = not known)   the stack with this number in a
 *            record's context, ktrace_context.h; may come soon after the record. The first of the
 *            stack, code, cgroup, symbol or image lines with the same id, start or name is valid
 *   code     id= [name=](function) [offset=](in it) [module=](program or library) [file=](source)
 *            [line=] [inlined=1](into the function of the next frame)   what the recorder of an
 *            imported trace says about the code of a frame
 *   cgroup   id= path=(in its hierarchy)   the same for a control group
 *   symbol   start= end=(addresses, first and after the last) name=   function of the kernel; the
 *            name of a module's function has " [MODULE]"
 *   image    name=vmlinux|(module) [build=](build id) [text=](address of its section .text)
 *            the file that contains such functions
 *   choice   ts=(raw, from then on) [levels=](of the events pthread:*, as ktraced --level)
 *            [events=](as ktraced -e, without braces) [filters=](the entries of these that have
 *            braces, with them) [where=](as ktraced --filter)
 *            the recorded events; a missing key does not restrict them
 *   timesource  ts=(raw) name=chrony|ptp4l [state=] [ref=] [stratum=] [offset_ns=] [delay_ns=]
 *            [dispersion_ns=] [freq_ppb=] [skew_ppb=]   what a program said at ts that synchronises
 *            a clock of the host, see 6. offset_ns and freq_ppb may be negative
 *   ping     ts=(raw, the later of sent and received) peer_boot=(boot id of the other host)
 *            [peer=(its name or address)] [peer_clock=tsc|monotonic] sent= received_there=
 *            sent_there= received= [received_there_ns= sent_there_ns=](CLOCK_MONOTONIC there)
 *            stamps of two packets, see 6
 *   posix    version= word= set= generation= name= resolution_ns= created_ns= stream_size=
 *            log_size= data_size= stream_policy= log_policy= inheritance=   the file is the log
 *            of a POSIX trace stream with these attributes: numbers of <trace.h>. @word:
 *            bits of a pointer, @set: bytes of a trace_event_set_t. A complete log has another
 *            such line, with its status instead: stream_full= stream_overrun= flush_error=
 *            stream_lost=(counts of struct ktrace_lost, by commas) log_full= log_overrun=
 *            log_overwritten= log_unwritten=(events) last_raw= last_mono_ns=(last reading)
 *   part     number= [keep=(number of parts to keep) [removed=(parts up to this one)
 *            removed_events=]]   ends the repeated beginning of a part, see 5
 *   missed   name=(as in format) count=   number of hits of a kernel tracepoint for which the
 *            kernel made no record. Streams count them as lost for the reason "nested"
 *   registry used= size= most= slots= reused= missing=   at the end: bytes of the list of the
 *            registry in use, that it has, and that it could grow to; slots, and entries that
 *            have been in them; entries for which there was no room, or that were not completed
 *   end      [status=](of the command, as a shell has it) reason=
 *
 * 3. Streams. A stream has the events of one ring; a file has a stream for each used ring.
 *
 * BLOCK body: bytes [pos, pos + raw_size) of the stream's ring as they were in memory,
 * up to one block: it begins with struct ktrace_block if pos is a multiple of the
 * stream's block size, and with a record otherwise. It has complete records. If the header's
 * magic or pos is wrong, the section is damaged; a record that extends beyond the body's
 * end is reported and ends the section. Other sections remain usable.
 * Sections of a stream come in order of pos; a gap in pos is lost data, explained by a
 * LOST section or record.
 *
 * LOST body: struct ktrace_lost of the stream at time first_ts. It is
 * written when the reader lost records, and once for each stream at the end. Counts of a
 * later version's reasons may follow: a reader reports those that are not 0.
 *
 * INDEX body: struct ktrace_index[], one for each META, BLOCK and LOST section, and for each
 * section of a later version that must not be ignored, in file order. It may list sections that
 * may be ignored, for readers that know them. A section that extends into the next one that is
 * listed, or into INDEX, is damaged.
 *
 * COUNTS body: struct ktrace_count[], in order of stream, id and flags, each once. At most one
 * section, last but INDEX and END, with KTRACE_SECTION_MAY_IGNORE. A writer that did not write all
 * of the file leaves it out. A reader that uses it checks that the sum of all entries but those
 * with the id LOST is that of records of all BLOCK sections.
 *
 * 4. Time. Stamps are raw values of the session's clock. Between two consecutive readings i
 * and j the clocks run evenly; before the first and after the last one the
 * rate of the nearest interval applies, or hz ticks per second if there is only one reading:
 *
 *   mono(ts) = mono_ns_i + (ts - raw_i) * (mono_ns_j - mono_ns_i) / (raw_j - raw_i)
 *   time(ts) = mono(ts) + real_ns - mono_ns of the first reading
 *
 * with the second summand of mono truncated to whole ns. So time is ns since the epoch, and
 * does not follow changes of the wall clock. Traces with the same boot= take real_ns - mono_ns
 * of one of them, so that times compare as stamps do.
 *
 * If boot_ns - mono_ns grew by 10 ms or more from i to j, the machine was suspended, and mono
 * stopped. Let awake be mono_ns_j - mono_ns_i and asleep the growth of boot_ns - mono_ns, both in
 * ticks at the rate before i (hz if i is the first). If awake + asleep / 2 is less than
 * raw_j - raw_i, the counter continued: mono continues at the rate before i, except for its last
 * soft ns, the smaller of 4 ms and an eighth of mono_ns_j - mono_ns_i. It covers the first half
 * of these, rounded down, up to raw_j - awake, if that is later than the raw value that it
 * has reached, and the rest up to raw_j. The rate before i then applies after j.
 *
 * 5. Parts. A trace can be in several files, each of which can be read alone. They have the same
 * uuid, and part numbers from 1 on. A part begins with the state at that time: lines trace and
 * host, the first reading of the clocks and some of the latest, all lines event, process,
 * thread, map, stack, cgroup and symbol, and the positions of streams of earlier parts; then
 * line part, in a section of its own. A reader of several parts reads them in order of
 * their numbers, as if all their sections were in one file: streams, fragments, losses and gaps
 * continue from one part to the next, and repeated readings of the clocks are
 * ignored. If all earlier parts are missing, lost= has the share of the cumulative counts that
 * was not lost in this part. Line end is in the last part only.
 *
 * Events of all streams are merged by time; those of one stream stay in the order of the
 * file, even where a hostile program makes stamps go back.
 *
 * 6. Other clocks. Line clock has what adjtimex(2) says at that time: the limit and the estimate of
 * the error of CLOCK_REALTIME, the correction of its frequency against CLOCK_MONOTONIC_RAW in 10^-9
 * (of the members freq and tick: positive makes it faster), and whether it is synchronised (not
 * STA_UNSYNC, not TIME_ERROR); raw_mono_ns is CLOCK_MONOTONIC_RAW.
 *
 * Line timesource: offset_ns is clock minus reference, so a positive one tells that the clock is
 * ahead; freq_ppb is positive if the uncorrected clock is slow. From "chronyc -c tracking": ref is
 * the reference id, state the leap status, offset_ns what is left to be corrected of
 * CLOCK_REALTIME, delay_ns the root delay (there and back), dispersion_ns the root dispersion. From
 * pmc, of the clock that ptp4l controls: ref is the identity of the grandmaster, state that of the
 * port, offset_ns offsetFromMaster, delay_ns meanPathDelay (one way), stratum stepsRemoved.
 *
 * Line ping: one packet left here at sent and was at the other host at received_there; another one
 * left there at sent_there and was here at received. The first of them asks, the other answers it:
 * received >= sent and sent_there >= received_there if this recorder asked, and else the reverse.
 * sent and received are raw stamps of this trace, the others of the other recorder's session. Each
 * was read just before sending or just after receiving.
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
 *		refuse other byte orders than its own
 * @header_size: 64 in this version; the first section follows
 * @part:	number of this part if the trace is in several files, from 1 on; 0 = one file
 * @uuid:	random, identifies the trace; its parts have the same one
 * @reserved2:	0
 *
 * Readers ignore reserved fields, here and below.
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
 * Longest META body; more text goes into further sections. A BLOCK body has at most
 * KTRACE_BLOCK_MAX bytes, both as stored and as it was in the ring; END has none.
 */
#define KTRACE_META_SIZE_MAX (1u << 20)
#define KTRACE_LOST_SIZE_MAX 512u
#define KTRACE_COUNTS_SIZE_MAX (4u << 20)

enum ktrace_section_type {
	KTRACE_SECTION_META = 1,
	KTRACE_SECTION_BLOCK = 2,
	KTRACE_SECTION_LOST = 3,
	KTRACE_SECTION_INDEX = 4,
	KTRACE_SECTION_END = 5,
	KTRACE_SECTION_COUNTS = 6,
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
 * @size:	bytes of the body as stored, without padding
 * @first_ts:	BLOCK: stamp of the first record; LOST: place in time (raw clock)
 * @last_ts:	BLOCK: largest stamp
 * @pos:	BLOCK, LOST: position in the ring; END: file offset of INDEX, 0 = none
 * @records:	BLOCK: records other than padding and LOST
 * @lost:	LOST: newly lost records, saturated
 * @raw_size:	bytes of the uncompressed body; has the same limit as @size
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

#define KTRACE_COUNT_FRAGMENTS (1u << 0)	/* records that are fragments of longer events */

/**
 * struct ktrace_count - one entry of COUNTS
 * @stream:	id of the stream
 * @id:		of the records
 * @flags:	KTRACE_COUNT_*
 * @records:	number of such records in the BLOCK sections of the file, never 0
 */
struct ktrace_count {
	__u32 stream;
	__u16 id;
	__u16 flags;
	__u64 records;
};

#endif
