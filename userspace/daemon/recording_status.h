/* SPDX-License-Identifier: GPL-2.0 */
/* recording_status.h - how a recording goes, for ktrace control, ktrace fleet and --metrics */
#ifndef KTRACED_RECORDING_STATUS_H
#define KTRACED_RECORDING_STATUS_H

#include "recording.h"

/**
 * struct recording_status - how it goes
 * @ns:		since its start
 * @events:	in its files
 * @bytes:	of its files, with those that are no longer there
 * @lost:	losses by reason
 * @has_programs: @programs is known
 * @programs:	programs that take part, as far as they were counted
 * @has_free:	@free is known
 * @free:	bytes that are free where the file is
 * @part:	number of the file, 0 = it is the only one
 * @disk_wait_ns: time that the disk has not answered, 0 = nothing waits for it
 * @error:	why nothing can be written now, NULL = it can
 */
struct recording_status {
	__u64 ns;
	__u64 events;
	__u64 bytes;
	struct ktrace_lost lost;
	bool has_programs;
	__u32 programs;
	bool has_free;
	__u64 free;
	__u32 part;
	__u64 disk_wait_ns;
	const char *error;
};

/**
 * struct recording_waiting - complete files that the store does not have yet
 * @parts:	their number
 * @has_bytes:	@bytes is known
 * @bytes:	their size
 * @lag_ns:	since the oldest of them was completed, 0 = there is none
 */
struct recording_waiting {
	__u32 parts;
	bool has_bytes;
	__u64 bytes;
	__u64 lag_ns;
};

/* Counts at most @programs_max programs: each costs some system calls, while the rings wait. */
void recording_status_get(struct recording *r, __u32 programs_max, struct recording_status *s);
/* Returns the path of the file, from the root if it is known. */
const char *recording_file(struct recording *r);
/* Looks which files were sent. Returns false if they are not sent to a store. */
bool recording_waiting_get(struct recording *r, struct recording_waiting *w);
/* Measures the pace of the recording; called about once a second. */
void recording_status_second(struct recording *r, __u64 now);

#endif
