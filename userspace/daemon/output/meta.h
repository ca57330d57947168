/* SPDX-License-Identifier: GPL-2.0 */
/* meta.h - META lines of what is known about session, machine and processes */
#ifndef KTRACED_OUTPUT_META_H
#define KTRACED_OUTPUT_META_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "events/select.h"

/* trace, host: begins the file. argv: the command or NULL. */
void meta_trace(struct ktrace_text *t, const struct ktrace_session_info *info, char **argv);
/* cmd=, as trace has it; levels= and events=, as choice has them */
void meta_cmd(struct ktrace_text *t, char **argv);
void meta_choice_pairs(struct ktrace_text *t, const struct choice *choice);
/* choice: which events are recorded from the stamp ts on */
void meta_choice(struct ktrace_text *t, const struct choice *choice, __u64 ts);
/* file: the first line of a session's note, not for the file itself */
void meta_file(struct ktrace_text *t, const char *path, const __u8 uuid[16]);
/* Takes such a line apart; false if it is none. path: as large as the line. */
bool meta_parse_file(const char *line, char *path, __u8 uuid[16]);
void meta_clock(struct ktrace_text *t, const struct ktrace_reading *r);
void meta_kernel_events(struct ktrace_text *t);
void meta_stream(struct ktrace_text *t, __u32 id, const struct ktrace_stream *stream);
/* process, thread: one running process, or all of them, from /proc. */
void meta_proc(struct ktrace_text *t, __u32 pid, __u64 ts);
void meta_proc_all(struct ktrace_text *t, __u64 ts);
/* What a traced program said about itself. */
void meta_entry(struct ktrace_text *t, const struct ktrace_entry_copy *entry);
/* A process has ended, before @ts. */
void meta_exit(struct ktrace_text *t, __u32 pid, __u64 ts);
/* status: as wait(2) gives it, -1 = there was no command. */
void meta_end(struct ktrace_text *t, int status, const char *reason);

#endif
