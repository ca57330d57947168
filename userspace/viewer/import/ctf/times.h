/* SPDX-License-Identifier: GPL-2.0 */
/* times.h - finds when the packets of a trace begin and end, to show progress */
#ifndef VIEWER_IMPORT_CTF_TIMES_H
#define VIEWER_IMPORT_CTF_TIMES_H

#include <babeltrace2/babeltrace.h>
#include <linux/types.h>

/*
 * Widens @from and @until, ns since the epoch, by the times that @class reports for the traces in
 * @params. Ignores unknown times and damage, which is reported on reading.
 */
void times_widen(const bt_component_class_source *class, const bt_value *params, __u64 *from,
		 __u64 *until);

#endif
