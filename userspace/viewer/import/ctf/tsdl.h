/* SPDX-License-Identifier: GPL-2.0 */
/* tsdl.h - reads TSDL, the metadata of CTF 1.8 */
#ifndef VIEWER_IMPORT_CTF_TSDL_H
#define VIEWER_IMPORT_CTF_TSDL_H

#include "schema.h"

/**
 * tsdl_parse - read metadata
 * @schema:	what it says is added here
 * @path:	name of the file, for messages
 * @text:	its text, which ends with a 0
 *
 * Keeps what is described before an error, and reports the line of the error.
 *
 * Return: true if there was no error.
 */
bool tsdl_parse(struct ctf_schema *schema, const char *path, const char *text);

#endif
