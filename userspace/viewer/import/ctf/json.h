/* SPDX-License-Identifier: GPL-2.0 */
/* json.h - reads the metadata of CTF 2 */
#ifndef VIEWER_IMPORT_CTF_JSON_H
#define VIEWER_IMPORT_CTF_JSON_H

#include "schema.h"

/**
 * json_parse - read metadata
 * @schema:	what it says is added here
 * @path:	name of the file, for messages
 * @metadata:	its text, followed by a 0
 * @size:	bytes of @metadata
 *
 * Leaves out a fragment with an error, after reporting it.
 *
 * Return: true if there was no error.
 */
bool json_parse(struct ctf_schema *schema, const char *path, const char *metadata, size_t size);

#endif
