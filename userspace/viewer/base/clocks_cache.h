/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks_cache.h - keeps what was found about the clocks of several hosts
 *
 * In $KTRACE_CLOCKS_CACHE, or ktrace in $XDG_CACHE_HOME, or ~/.cache/ktrace: one small file for
 * each set of traces and options. Nothing is kept if KTRACE_CLOCKS_CACHE is empty, or if the folder
 * cannot be written to. Results are found by the traces' uuid and sizes and by when their files
 * were changed, and checked again when they are read.
 */
#ifndef VIEWER_BASE_CLOCKS_CACHE_H
#define VIEWER_BASE_CLOCKS_CACHE_H

#include <ktrace/sync.h>

/* Corrects a traceset by what is kept. Returns false if nothing fits: then it is unchanged. */
bool clocks_cache_restore(struct ktrace_traceset *set, const struct ktrace_sync_options *opts);
/* Keeps a result, if possible, instead of the oldest ones. */
void clocks_cache_save(const struct ktrace_sync *sync, const struct ktrace_traceset *set,
		       const struct ktrace_sync_options *opts);

/* The largest file of a result that is read */
#define CLOCKS_FILE_MAX (64u << 20)

/* Reads a file of a result. Returns its content, to be freed, or NULL and sets errno. */
char *clocks_file_read(const char *path, size_t *size);

#endif
