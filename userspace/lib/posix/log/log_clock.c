// SPDX-License-Identifier: LGPL-2.1
/* log_clock.c - clock readings in a log */
#include "log_state.h"

/* Limit of META that waits for room on a full disk. */
#define TEXT_MAX (1u << 20)

/* Drops every second reading. */
static void thin_readings(struct posix_log *log)
{
	struct ktrace_reading *r = log->readings;

	log->interval = (r[log->reading_nr - 1].raw - r[0].raw) / (LOG_READINGS / 2);
	log->reading_nr /= 2;
	for (size_t i = 0; i < log->reading_nr; i++)
		r[i] = r[2 * i];
}

/* Keeps the reading in memory: META is never removed, so a bounded log writes its readings last. */
static void keep_reading(struct posix_log *log)
{
	if (log->reading_nr &&
	    log->clock.raw - log->readings[log->reading_nr - 1].raw < log->interval)
		return;
	if (log->reading_nr == LOG_READINGS)
		thin_readings(log);
	log->readings[log->reading_nr++] = log->clock;
}

int ktrace_posix_log_clock(struct posix_log *log, const struct ktrace_reading *r)
{
	struct ktrace_reading shifted = *r;
	bool is_first = !log->clock.raw;

	shifted.raw += log->shift_raw;
	shifted.mono_ns += log->shift_mono;
	shifted.boot_ns = log->shift_mono ? shifted.mono_ns : r->boot_ns;
	if ((shifted.raw <= log->clock.raw && !is_first) || log->text.len > TEXT_MAX)
		return 0;
	log->clock = shifted;
	if (log->is_bounded && !is_first) {
		keep_reading(log);
		return 0;
	}
	ktrace_posix_meta_clock(&log->text, &shifted);
	return ktrace_posix_log_note(log, ktrace_posix_log_put_text(log));
}

/* Adds the META of all readings that were kept, and of the latest one. */
void ktrace_posix_log_put_readings(struct posix_log *log)
{
	for (size_t i = 0; i < log->reading_nr; i++)
		ktrace_posix_meta_clock(&log->text, &log->readings[i]);
	if (log->reading_nr && log->clock.raw > log->readings[log->reading_nr - 1].raw)
		ktrace_posix_meta_clock(&log->text, &log->clock);
}
