/* SPDX-License-Identifier: GPL-2.0 */
/* log.h - what ktraced says on stderr */
#ifndef KTRACED_BASE_LOG_H
#define KTRACED_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Exit status for ktraced's own failures, as env(1) has it. */
#define EXIT_OWN 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* A whole line as it is, for programs: also with -q. */
void log_text(const char *text, size_t size);
void log_set_quiet(bool quiet);
/* Failures: always said. */
__attribute__((format(printf, 1, 2)))
void log_error(const char *format, ...);
/* What is good to know: not with -q. */
__attribute__((format(printf, 1, 2)))
void log_note(const char *format, ...);
/* Writes the rest to standard output. Returns @status, or EXIT_OWN if that fails, which is said. */
int log_output_end(int status);

#endif
