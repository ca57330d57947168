/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metadata.h - checks that metadata is complete; libbabeltrace2 never returns from a truncated one
 */
#ifndef VIEWER_IMPORT_CTF_METADATA_H
#define VIEWER_IMPORT_CTF_METADATA_H

#include <stdbool.h>

/* True if the file is complete; reports the file and offset otherwise. */
bool metadata_is_whole(const char *path);

#endif
