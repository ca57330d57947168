/* SPDX-License-Identifier: GPL-2.0 */
/* foreign.h - recognizes files of other tools by their first bytes */
#ifndef VIEWER_BASE_FOREIGN_H
#define VIEWER_BASE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the name of the format in ktrace import, NULL = unknown. @head: the first 64 KiB
 */
const char *foreign_format(const unsigned char *head, size_t nr);

/* What foreign_format() looks for, for messages */
#define FOREIGN_FORMATS \
	"a folder (ctf), the first bytes of trace-cmd's (trace-dat) and perf's files (perf), " \
	"packets of Perfetto (perfetto), JSON with traceEvents or ph (chrome), HTML or " \
	"lines \"TASK-PID [CPU] TIME: EVENT:\" (systrace), lines \"COMM PID [CPU] TIME: " \
	"EVENT:\" (perf), an event trace_start (shark)"

/*
 * The beginnings of lines: skip the part of @s up to a time "12.345678:" or "12345:", and return
 * what follows it, NULL = not such a line. foreign_ftrace(): "TASK-PID [CPU] FLAGS TIME: " or
 * "TASK-PID CPUFLAGS TIME: "; foreign_perf(): "COMM PID [CPU] TIME: ".
 */
const char *foreign_ftrace(const char *s, size_t size);
const char *foreign_perf(const char *s, size_t size);

#endif
