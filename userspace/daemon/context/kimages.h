/* SPDX-License-Identifier: GPL-2.0 */
/* kimages.h - the kernel and its modules: which build they are, and where */
#ifndef KTRACED_CONTEXT_KIMAGES_H
#define KTRACED_CONTEXT_KIMAGES_H

#include <stddef.h>
#include <ktrace/tracefile.h>

/* struct kimages - those that were told, each name with a NUL; begins as { 0 } */
struct kimages {
	char *told;
	size_t size;
};

/*
 * META line image of what a kernel symbol "function" or "function [module]" belongs to, unless
 * it has been told.
 */
void kimages_tell(struct kimages *k, struct ktrace_text *meta, const char *symbol);
void kimages_free(struct kimages *k);

#endif
