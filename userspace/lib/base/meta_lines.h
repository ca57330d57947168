/* SPDX-License-Identifier: LGPL-2.1 */
/* meta_lines.h - META lines that several programs write, <linux/ktrace_file.h> */
#ifndef KTRACE_BASE_META_LINES_H
#define KTRACE_BASE_META_LINES_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

static inline void meta_clock(struct ktrace_text *t, const struct ktrace_reading *r)
{
	ktrace_text_line(t, "clock");
	ktrace_text_u64(t, "raw", r->raw);
	ktrace_text_u64(t, "mono_ns", r->mono_ns);
	ktrace_text_u64(t, "real_ns", r->real_ns);
	ktrace_text_u64(t, "boot_ns", r->boot_ns);
	ktrace_text_u64(t, "hz", r->hz);
}

/* @kind: "user" or "kernel" */
static inline void meta_event(struct ktrace_text *t, const char *kind, __u64 id, const char *desc)
{
	ktrace_text_line(t, "event");
	ktrace_text_str(t, "kind", kind);
	ktrace_text_u64(t, "id", id);
	ktrace_text_str(t, "desc", desc);
}

#endif
