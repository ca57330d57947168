/* SPDX-License-Identifier: GPL-2.0 */
/* formats.h - what a trace.dat file says of its events, functions and threads, for libtraceevent */
#ifndef VIEWER_IMPORT_TRACE_DAT_FORMATS_H
#define VIEWER_IMPORT_TRACE_DAT_FORMATS_H

#include <event-parse.h>

#include "file.h"

/**
 * struct formats - descriptions of a file
 * @tep:	libtraceevent's
 * @page_long:	bytes of a long of the kernel, as its pages have it
 * @printk:	lines "0xADDRESS : "TEXT"" of the strings of trace_puts(); NULL = none
 * @switch_text: description of sched_switch, whose "print fmt" names task states; NULL = none
 * @failed:	number of descriptions that libtraceevent cannot read
 * @first:	system and name of the first of these
 */
struct formats {
	struct tep_handle *tep;
	unsigned int page_long;
	char *printk;
	char *switch_text;
	__u32 failed;
	char first[128];
};

/**
 * formats_read - read them all; in version 6 also what follows them, as options and lists of CPUs
 *
 * Return: 0, also if a part is damaged, see @damaged of struct file; -ENOMEM, -ECANCELED after
 * reporting a page format of Linux before 2.6.31.
 */
int formats_read(struct formats *m, struct file *f);
void formats_free(struct formats *m);

#endif
