/* SPDX-License-Identifier: LGPL-2.1 */
/* by_id.h - structs that begin with a number, __u32: files may have very many, in any order */
#ifndef KTRACE_TRACEFILE_BY_ID_H
#define KTRACE_TRACEFILE_BY_ID_H

#include <linux/types.h>
#include <stddef.h>

/* Returns the struct with this number, NULL if there is none. @tree: initially NULL */
void *ktrace_find_id(void *const *tree, __u32 id);
/* Makes a struct of @size bytes, all 0; its number must be new. Returns NULL without memory. */
void *ktrace_make_id(void **tree, __u32 id, size_t size);
void ktrace_free_ids(void *tree);

#endif
