/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_hosts.h - writes events of several machines, which are only known as they come
 *
 * The first machine's file is that of --output. When there is a second one, each gets a file of its
 * own, see import_machine().
 */
#ifndef VIEWER_IMPORT_IMPORT_HOSTS_H
#define VIEWER_IMPORT_IMPORT_HOSTS_H

#include "import.h"

/**
 * struct import_host - a machine
 * @name:	its name, "" = unknown
 * @f:		its tracefile
 * @machine:	the file's name, NULL = that of --output
 * @skipped:	its events that were left out
 * @is_new:	nothing was written yet; cleared by the caller
 */
struct import_host {
	char name[64];
	struct import_writer *f;
	struct import_machine *machine;
	__u64 skipped;
	bool is_new;
};

/**
 * struct import_hosts - the machines
 * @x:		the run
 * @at:		the machines, in order of their first events; @nr of them
 * @now:	the one of the latest import_hosts_get()
 * @skipped:	events of all that were left out before that call
 */
struct import_hosts {
	struct import *x;
	struct import_host at[IMPORT_MACHINES];
	__u32 nr;
	struct import_host *now;
	__u64 skipped;
};

/**
 * import_hosts_get - find a machine, or open its tracefile
 * @h:		the machines
 * @name:	its name; NULL, "": a machine without a name is the first one
 * @out:	the machine
 *
 * Return: 0, -errno, -ECANCELED: already reported.
 */
int import_hosts_get(struct import_hosts *h, const char *name, struct import_host **out);

/** import_hosts_close - like import_close(), for all machines */
int import_hosts_close(struct import_hosts *h, int ret);

#endif
