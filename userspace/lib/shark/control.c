// SPDX-License-Identifier: LGPL-2.1
/* control.c - which events are logged: on or off, by family, while a session records the program */
#include "tracer.h"

#include <ktrace/shark.h>
#include <shark/writer.h>

#define ALL_OFF 0x1ffffu	/* 16 families, and unfiltered events */

/*
 * Families that are off. 0 under a session: then each event of a program that was compiled before
 * ktrace_shark_byte existed asks the session.
 */
__u32 ktrace_shark_off = ALL_OFF;

/* Updates ktrace_shark_off after a change of what is enabled or filtered. */
static void refresh(struct kt_shark *t)
{
	struct kt_shark_here here;
	__u32 off;

	if (kt_shark_begin(t, &here))
		return;
	off = t->is_enabled ? t->off : ALL_OFF;
	kt_store(&ktrace_shark_off, shark_is_recorded() ? 0 : off);
	kt_shark_done(t, &here);
}

static __attribute__((constructor)) void begin(void)
{
	if (shark_is_recorded())
		kt_store(&ktrace_shark_off, 0);
}

int FTrace_enable(void)
{
	struct kt_shark *t = shark_tracer();

	if (!t || kt_shark_enable(t))
		return -1;
	refresh(t);
	return 0;
}

int FTrace_disable(void)
{
	struct kt_shark *t = shark_tracer();

	if (!t || kt_shark_disable(t))
		return -1;
	refresh(t);
	return 0;
}

void FTrace_set_filter(__u8 family, int status)
{
	struct kt_shark *t = shark_make();

	if (kt_shark_set_filter(t, family, status))
		return;
	refresh(t);
	shark_record_filter(family, status);
}

__u64 FTrace_lost(enum ktrace_shark_lost reason)
{
	struct kt_shark *t = shark_tracer();
	__u64 count = 0;

	return t && !kt_shark_lost(t, reason, &count) ? count : 0;
}
