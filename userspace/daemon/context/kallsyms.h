/* SPDX-License-Identifier: GPL-2.0 */
/* kallsyms.h - functions of the kernel by their addresses */
#ifndef KTRACED_CONTEXT_KALLSYMS_H
#define KTRACED_CONTEXT_KALLSYMS_H

#include <stdbool.h>
#include <ktrace/tracefile.h>

struct kallsyms;

/*
 * Reads the kernel's symbols. Return: 0, -EPERM their addresses are hidden from us, -errno; @out is
 * NULL then.
 */
int kallsyms_read(struct kallsyms **out);
/* NULL is allowed, here and below. */
void kallsyms_free(struct kallsyms *k);
/* Adds META lines symbol and image for @address, unless they have been told. */
void kallsyms_tell(struct kallsyms *k, struct ktrace_text *meta, __u64 address);

#endif
