/* SPDX-License-Identifier: LGPL-2.1 */
/* by_id.h - things that begin with a number, __u32: files may have very many, in any order */
#ifndef KTRACE_TRACEFILE_BY_ID_H
#define KTRACE_TRACEFILE_BY_ID_H

#include <linux/types.h>
#include <stddef.h>

/* Return: NULL: there is none with this number. @tree: NULL to begin with */
void *ktrace_find_id(void *const *tree, __u32 id);
/* Makes one of @size bytes, all 0; its number must be new. NULL: no memory */
void *ktrace_make_id(void **tree, __u32 id, size_t size);
void ktrace_free_ids(void *tree);

#endif
