/* SPDX-License-Identifier: GPL-2.0 */
/* store_files.h - the options --store and --host: files in a folder of ktrace store */
#ifndef VIEWER_BASE_STORE_FILES_H
#define VIEWER_BASE_STORE_FILES_H

#include <ktrace/traceset.h>

#include "base/option_table.h"

/* The options --store and --host of commands that read files; they refer to nothing. */
extern const struct option_row store_options[];

/* Returns what is wrong with the options together, NULL = nothing. */
const char *store_wrong(void);
/* The values of --store and --host, NULL = not given */
const char *store_folder(void);
const char *store_host(void);
/* Forgets the options: the caller has read the folder, and opens its files one by one. */
void store_taken(void);
/*
 * Chooses the files of the folder that can have events between --since and --until, and reports
 * errors. Times since the start of the trace become absolute: the files that are read may begin
 * later. Returns their number, not 0, and in @list their names, to be freed with the list; -errno.
 */
int store_choose(char ***list);
/*
 * Returns true if the clocks of hosts in @set differ so much that more files may have events in
 * the window; store_choose() then chooses these, too. Call it before reading begins.
 */
bool store_widen(const struct ktrace_traceset *set);

#endif
