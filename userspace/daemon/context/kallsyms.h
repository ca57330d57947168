/* SPDX-License-Identifier: GPL-2.0 */
/* kallsyms.h - finds functions of the kernel by their addresses */
#ifndef KTRACED_CONTEXT_KALLSYMS_H
#define KTRACED_CONTEXT_KALLSYMS_H

#include <stdbool.h>
#include <ktrace/tracefile.h>

struct kallsyms;

/*
 * Reads the kernel's symbols. Return: 0, -EPERM if their addresses are hidden, or -errno; on
 * failure @out is NULL.
 */
int kallsyms_read(struct kallsyms **out);
/* NULL is allowed, here and below. */
void kallsyms_free(struct kallsyms *k);
/* Adds META lines symbol and image for @address, unless they have been written. */
void kallsyms_tell(struct kallsyms *k, struct ktrace_text *meta, __u64 address);

#endif
