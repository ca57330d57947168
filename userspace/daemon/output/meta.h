/* SPDX-License-Identifier: GPL-2.0 */
/* meta.h - META lines with facts about session, machine and processes */
#ifndef KTRACED_OUTPUT_META_H
#define KTRACED_OUTPUT_META_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "events/select.h"

/* Adds trace, host: the beginning of the file. @argv: the command or NULL. */
void meta_trace(struct ktrace_text *t, const struct ktrace_session_info *info, char **argv);
/* Adds cmd=, as in the line trace; meta_choice_pairs(): levels=, events= etc., as in choice. */
void meta_cmd(struct ktrace_text *t, char **argv);
void meta_choice_pairs(struct ktrace_text *t, const struct choice *choice);
/* Adds choice: which events are recorded from the time stamp @ts on. */
void meta_choice(struct ktrace_text *t, const struct choice *choice, __u64 ts);
/* Adds file: the first line of a session's note; not written to the file itself. */
void meta_file(struct ktrace_text *t, const char *path, const __u8 uuid[16]);
/* Parses such a line; returns false if it is none. @path: as large as the line. */
bool meta_parse_file(const char *line, char *path, __u8 uuid[16]);
void meta_clock(struct ktrace_text *t, const struct ktrace_reading *r);
void meta_kernel_events(struct ktrace_text *t);
void meta_stream(struct ktrace_text *t, __u32 id, const struct ktrace_stream *stream);
/* Adds process and thread lines from /proc, for one running process or for all of them. */
void meta_proc(struct ktrace_text *t, __u32 pid, __u64 ts);
void meta_proc_all(struct ktrace_text *t, __u64 ts);
/* Adds what a traced program has registered about itself. */
void meta_entry(struct ktrace_text *t, const struct ktrace_entry_copy *entry);
/* Adds exit: a process has ended before @ts. */
void meta_exit(struct ktrace_text *t, __u32 pid, __u64 ts);
/* Adds registry: how full it is. */
void meta_registry(struct ktrace_text *t, const struct ktrace_session *s);
/* Adds end. @status: from wait(2), -1 = there was no command. */
void meta_end(struct ktrace_text *t, int status, const char *reason);

#endif
