// SPDX-License-Identifier: LGPL-2.1
/*
 * log_end.c - complete a log: write its status and losses, and make room for them
 *
 * A log that is not completed cannot be opened. So without enough room for its end, events are
 * removed and counted, but no names.
 */
#include "base/lost.h"
#include "log_state.h"

/* Writes the number of losses by reason; once, at the end (PTRC-48). */
static int put_lost(struct posix_log *log, const struct posix_trace_status_info *status)
{
	struct ktrace_lost sum;
	__u64 newly;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		sum.count[i] = status->posix_stream_lost[i];
	newly = lost_total(sum.count);
	return newly ? ktrace_tracefile_lost(log->tf, log->stream, log->pos + log->used,
					     log->newest, &sum, newly) : 0;
}

/*
 * LOOP: removes what is left of the previous round. It is after the newer events in the file, so
 * removing only its end would leave a gap before the newer events.
 */
static void cut_last_round(struct posix_log *log, __u64 *records)
{
	for (size_t i = log->slot; i < log->slot_used; i++)
		if (log->slots[i].stream != log->stream) {
			ktrace_tracefile_cut(log->tf, log->slots[i].offset, records);
			return;
		}
}

/* Makes room for the end; does not remove names (PTRC-49). */
static int make_end_room(struct posix_log *log)
{
	__u64 records = 0;
	int ret = ktrace_tracefile_reserve(log->tf, log->text.len + LOG_END_SIZE);

	if (!ret)
		return 0;
	cut_last_round(log, &records);
	ret = ktrace_posix_log_say_names(log);
	if (!ret)
		ret = ktrace_tracefile_make_room(log->tf, log->text.len + LOG_END_SIZE,
						 log->content_at, &records);
	log->state.unwritten += records;
	log->state.is_overrun |= records;
	return ret;
}

/*
 * ktrace_posix_log_put_end - write the end of a log: its status
 * @known:	the log's own status when @status was queried
 *
 * Return: 0 or -errno.
 */
int ktrace_posix_log_put_end(struct posix_log *log, const struct posix_log_status *known,
			     const struct posix_trace_status_info *status)
{
	struct posix_trace_status_info s = *status;
	struct posix_log_end end = { .clock = log->clock };
	int ret = make_end_room(log);

	if (ret)
		return ret;
	end.log = log->state;
	end.log.is_overrun |= status->posix_log_overrun_status == POSIX_TRACE_OVERRUN;
	s.posix_stream_lost[KTRACE_LOST_OVERWRITTEN] += log->state.overwritten - known->overwritten;
	s.posix_stream_lost[KTRACE_LOST_UNWRITTEN] += log->state.unwritten - known->unwritten;
	ktrace_posix_meta_end(&log->text, &s, &end);
	ret = ktrace_posix_log_put_text(log);
	return ret ? ret : put_lost(log, &s);
}
