/* SPDX-License-Identifier: GPL-2.0 */
/* files.h - damage in files that a command reads by itself */
#ifndef VIEWER_BASE_FILES_H
#define VIEWER_BASE_FILES_H

#include <ktrace/damage.h>

/* Prints the first few damages; for struct ktrace_traceset_options. */
void files_damage(void *arg, const struct ktrace_damage *d);

#endif
