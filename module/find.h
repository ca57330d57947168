/* SPDX-License-Identifier: GPL-2.0 */
/* find.h - a tracepoint of the kernel by its name */
#ifndef KT_FIND_H
#define KT_FIND_H

struct tracepoint;

struct tracepoint *kt_find_tracepoint(const char *name);

#endif
