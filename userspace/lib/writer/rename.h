/* SPDX-License-Identifier: LGPL-2.1 */
/* rename.h - notice that a thread has another name */
#ifndef KTRACE_WRITER_RENAME_H
#define KTRACE_WRITER_RENAME_H

void rename_self(const char *name);

#endif
