/* SPDX-License-Identifier: LGPL-2.1 */
/* generic_posix.h - a part of posix/stream/emit.c: without restartable sequences */
#ifndef KTRACE_ARCH_GENERIC_POSIX_H
#define KTRACE_ARCH_GENERIC_POSIX_H

static KTRACE_INLINE bool put_quick(const struct posix_sink *sink, const struct emission *em)
{
	(void)sink;
	(void)em;
	return false;
}

#endif
