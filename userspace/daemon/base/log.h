/* SPDX-License-Identifier: GPL-2.0 */
/* log.h - messages of ktraced on stderr */
#ifndef KTRACED_BASE_LOG_H
#define KTRACED_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses for ktraced's own failures, the same as those of env(1) */
#define EXIT_OWN 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* Writes a whole line unchanged, for programs to read; even with -q. */
void log_text(const char *text, size_t size);
void log_set_quiet(bool quiet);
/* Reports a failure, even with -q. */
__attribute__((format(printf, 1, 2)))
void log_error(const char *format, ...);
/* Reports something useful to know; does nothing with -q. */
__attribute__((format(printf, 1, 2)))
void log_note(const char *format, ...);
/* Flushes standard output. Returns @status, or EXIT_OWN after reporting that this failed. */
int log_output_end(int status);

#endif
