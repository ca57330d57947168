/* SPDX-License-Identifier: GPL-2.0 */
/* metadata.h - is a file "metadata" whole? The library reads one that is not for ever. */
#ifndef VIEWER_IMPORT_CTF_METADATA_H
#define VIEWER_IMPORT_CTF_METADATA_H

#include <stdbool.h>

/* False: it is not, which was complained about with file and offset. */
bool metadata_is_whole(const char *path);

#endif
