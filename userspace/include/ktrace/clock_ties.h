/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * clock_ties.h - what a trace says about its clock and other clocks
 *
 * Three kinds of META lines tie the stamps of a trace to other clocks: readings of all clocks of
 * the host, with the kernel's estimate of their error; what a program says that synchronises the
 * host's wall clock; and exchanges of packets with the recorder of another host.
 * <linux/ktrace_file.h> has the lines.
 *
 * Nothing here is proven: a file can say anything, and a program may state a wrong error. Only the
 * order of the stamps within a line is checked. What exceeds a limit is left out and counted, see
 * ktrace_trace_tie_counts(). Pointers and numbers of entries are valid until the next call of
 * ktrace_traceset_poll() or ktrace_traceset_add().
 */
#ifndef KTRACE_CLOCK_TIES_H
#define KTRACE_CLOCK_TIES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_trace;

/**
 * struct ktrace_clock_tie - one reading of all clocks of the host
 * @raw:	stamp
 * @mono_ns:	CLOCK_MONOTONIC
 * @real_ns:	CLOCK_REALTIME
 * @boot_ns:	CLOCK_BOOTTIME; 0 = unknown
 * @raw_mono_ns: CLOCK_MONOTONIC_RAW; 0 = unknown
 * @max_error_ns: the kernel's limit of the error of CLOCK_REALTIME, adjtimex(2); valid if
 *		@has_error. The kernel lets it grow by 500 ppm since the program that sets the clock
 *		last stated it, up to 16 s. Some programs state 0 with every correction
 * @est_error_ns: error estimated by the program that sets the clock; valid if @has_error
 * @freq_ppb:	correction of the frequency of CLOCK_REALTIME and CLOCK_MONOTONIC against
 *		CLOCK_MONOTONIC_RAW, in 10^-9: positive makes them faster. Not included:
 *		an offset that the kernel is working off. Valid if @has_error
 * @is_synced:	the kernel takes CLOCK_REALTIME as synchronised; valid if @has_error
 * @has_error:	the reading has the kernel's estimate. Traces of older recorders, imported ones
 *		and logs of <trace.h> have none
 */
struct ktrace_clock_tie {
	__u64 raw;
	__u64 mono_ns;
	__u64 real_ns;
	__u64 boot_ns;
	__u64 raw_mono_ns;
	__u64 max_error_ns;
	__u64 est_error_ns;
	__s64 freq_ppb;
	bool is_synced;
	bool has_error;
};

/**
 * ktrace_trace_clock_tie - get a reading of the clocks
 * @trace:	the trace
 * @i:		number, from 0 on, in order of stamps
 * @out:	the reading
 *
 * All readings that are not rejected, see struct ktrace_clock_info; of more than 65536, every
 * second, fourth and so on. The first one of a merged file (raw and mono_ns are 0) is not a
 * reading: it says where the file's time begins.
 *
 * Return: false after the last; @out is unchanged then.
 */
bool ktrace_trace_clock_tie(const struct ktrace_trace *trace, size_t i,
			    struct ktrace_clock_tie *out);

/**
 * enum ktrace_time_source_has - numbers that a time source states
 * @KTRACE_SOURCE_OFFSET:	@offset_ns
 * @KTRACE_SOURCE_DELAY:	@delay_ns
 * @KTRACE_SOURCE_DISPERSION:	@dispersion_ns
 * @KTRACE_SOURCE_FREQUENCY:	@freq_ppb
 * @KTRACE_SOURCE_SKEW:		@skew_ppb
 * @KTRACE_SOURCE_STRATUM:	@stratum
 */
enum ktrace_time_source_has {
	KTRACE_SOURCE_OFFSET = 1 << 0,
	KTRACE_SOURCE_DELAY = 1 << 1,
	KTRACE_SOURCE_DISPERSION = 1 << 2,
	KTRACE_SOURCE_FREQUENCY = 1 << 3,
	KTRACE_SOURCE_SKEW = 1 << 4,
	KTRACE_SOURCE_STRATUM = 1 << 5,
};

/**
 * struct ktrace_time_source - what a program said that synchronises a clock of the host
 * @raw:	stamp of when it was asked
 * @name:	"chrony" or "ptp4l"
 * @state:	its own word: chrony's leap status, ptp4l's state of the port; NULL = not stated
 * @reference:	where its time is from: chrony's reference id in hexadecimal, ptp4l's identity of
 *		the grandmaster; NULL = not stated
 * @has:	enum ktrace_time_source_has: which of the following are stated
 * @stratum:	chrony: hops to a reference clock; ptp4l: steps removed from the grandmaster
 * @offset_ns:	clock minus reference: positive, the clock is ahead. chrony: of CLOCK_REALTIME, and
 *		what is left to be corrected; ptp4l: of the clock that it controls (CLOCK_REALTIME
 *		with software time stamps, else the one of the network card)
 * @freq_ppb:	correction of the frequency: positive if the uncorrected clock is slow
 * @delay_ns:	chrony: round trip to the reference clock (root delay); ptp4l: one way (mean path
 *		delay)
 * @dispersion_ns: chrony: root dispersion. The error of CLOCK_REALTIME is at most
 *		|@offset_ns| + @dispersion_ns + @delay_ns / 2
 * @skew_ppb:	error bound of @freq_ppb, an estimate
 */
struct ktrace_time_source {
	__u64 raw;
	const char *name;
	const char *state;
	const char *reference;
	__u32 has;
	__u32 stratum;
	__s64 offset_ns;
	__s64 freq_ppb;
	__u64 delay_ns;
	__u64 dispersion_ns;
	__u64 skew_ppb;
};

/**
 * ktrace_trace_time_source - get what time sources said
 * @trace:	the trace
 * @i:		number, from 0 on, in the order of the file
 * @out:	what one of them said at one time
 *
 * Of more than 16384, every second, fourth and so on.
 *
 * Return: false after the last; @out is unchanged then.
 */
bool ktrace_trace_time_source(const struct ktrace_trace *trace, size_t i,
			      struct ktrace_time_source *out);

/**
 * struct ktrace_ping - one packet from this recorder to another one, and one in return
 * @peer_boot:	boot id of the other host
 * @peer:	the other recorder, as it was named or by its address; NULL = not stated
 * @peer_clock:	"tsc" or "monotonic": what the other recorder's stamps are; NULL = not stated
 * @raw_sent:	stamp here just before the packet was sent
 * @received_there: stamp of the other host just after it was received there
 * @sent_there:	stamp of the other host just before the packet in return was sent
 * @received:	stamp here just after it was received
 * @received_there_ns: CLOCK_MONOTONIC of the other host at @received_there; 0 = unknown
 * @sent_there_ns: CLOCK_MONOTONIC of the other host at @sent_there; 0 = unknown
 * @is_answered: the other recorder began: its packet was received here before @raw_sent. Then
 *		@received <= @raw_sent and @sent_there <= @received_there, else the reverse
 *
 * A merged trace has other stamps than the recorder that exchanged the packets: its META says
 * clock=monotonic, and @peer_clock "tsc". Then use @received_there_ns and @sent_there_ns.
 *
 * Whoever began, one packet went from @raw_sent to @received_there, and one from @sent_there to
 * @received. Neither can have arrived before it was sent.
 */
struct ktrace_ping {
	const char *peer_boot;
	const char *peer;
	const char *peer_clock;
	__u64 raw_sent;
	__u64 received_there;
	__u64 sent_there;
	__u64 received;
	__u64 received_there_ns;
	__u64 sent_there_ns;
	bool is_answered;
};

/**
 * ktrace_trace_ping - get a ping
 * @trace:	the trace
 * @i:		number, from 0 on, about in the order of the file
 * @out:	the ping
 *
 * Of more than 131072, the one with the shortest round trip of each two, four and so on with the
 * same peer.
 *
 * Return: false after the last; @out is unchanged then.
 */
bool ktrace_trace_ping(const struct ktrace_trace *trace, size_t i, struct ktrace_ping *out);

/**
 * struct ktrace_tie_counts - numbers of entries
 * @clock_ties:	readings of clocks that ktrace_trace_clock_tie() has
 * @clock_ties_left_out: valid ones that it does not have
 * @time_sources: the same for ktrace_trace_time_source()
 * @time_sources_left_out: see above
 * @pings:	the same for ktrace_trace_ping()
 * @pings_left_out: see above; also all of more than 64 peers
 */
struct ktrace_tie_counts {
	__u64 clock_ties;
	__u64 clock_ties_left_out;
	__u64 time_sources;
	__u64 time_sources_left_out;
	__u64 pings;
	__u64 pings_left_out;
};

/** ktrace_trace_tie_counts - get the numbers of readings, time sources and pings */
void ktrace_trace_tie_counts(const struct ktrace_trace *trace, struct ktrace_tie_counts *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
