/* SPDX-License-Identifier: GPL-2.0 */
/* times.h - when the packets of a trace begin and end, to show progress */
#ifndef VIEWER_IMPORT_CTF_TIMES_H
#define VIEWER_IMPORT_CTF_TIMES_H

#include <babeltrace2/babeltrace.h>
#include <linux/types.h>

/*
 * Widens @from and @until, ns since the epoch, by what @class says of the traces that @params
 * names. What is not known, or damaged, changes nothing: reading it says so.
 */
void times_widen(const bt_component_class_source *class, const bt_value *params, __u64 *from,
		 __u64 *until);

#endif
