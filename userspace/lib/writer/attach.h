/* SPDX-License-Identifier: LGPL-2.1 */
/* attach.h - find the session that the environment names, and map it */
#ifndef KTRACE_WRITER_ATTACH_H
#define KTRACE_WRITER_ATTACH_H

#include <stdbool.h>

bool attach_once(void);

#endif
