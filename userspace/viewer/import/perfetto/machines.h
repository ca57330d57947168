/* SPDX-License-Identifier: GPL-2.0 */
/* machines.h - the machines whose packets a trace has */
#ifndef VIEWER_IMPORT_PERFETTO_MACHINES_H
#define VIEWER_IMPORT_PERFETTO_MACHINES_H

#include "import/import.h"

#include <stddef.h>

/**
 * struct machines - ids of the machines: first that which recorded, then by their first packets
 * @ids:	the ids
 * @nr:		number of them
 * @left_out:	packets of further machines
 */
struct machines {
	__u32 ids[IMPORT_MACHINES];
	__u32 nr;
	__u64 left_out;
};

/* Finds the machines of a trace; packets that name none are of machine 0. Return: 0, -errno. */
int machines_find(struct machines *m, const unsigned char *data, size_t size);

#endif
