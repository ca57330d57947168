/* SPDX-License-Identifier: GPL-2.0 */
/* kimages.h - the kernel and its modules: their build ids and addresses */
#ifndef KTRACED_CONTEXT_KIMAGES_H
#define KTRACED_CONTEXT_KIMAGES_H

#include <stddef.h>
#include <ktrace/tracefile.h>

/* struct kimages - names already written, each with a NUL; starts as { 0 } */
struct kimages {
	char *told;
	size_t size;
};

/*
 * Adds a META line image for the image of a kernel symbol, "function" or "function [module]",
 * unless it has been written.
 */
void kimages_tell(struct kimages *k, struct ktrace_text *meta, const char *symbol);
void kimages_free(struct kimages *k);

#endif
