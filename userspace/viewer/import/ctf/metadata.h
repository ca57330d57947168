/* SPDX-License-Identifier: GPL-2.0 */
/* metadata.h - reads the file "metadata" of a CTF trace */
#ifndef VIEWER_IMPORT_CTF_METADATA_H
#define VIEWER_IMPORT_CTF_METADATA_H

#include "schema.h"

/**
 * metadata_read - read the metadata of a trace
 * @path:	the file
 * @schema:	what it says is added here
 * @is_damaged:	set if a part of it is left out
 *
 * Return: false, after a message, if nothing of the trace can be read.
 */
bool metadata_read(const char *path, struct ctf_schema *schema, bool *is_damaged);

#endif
