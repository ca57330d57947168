/* SPDX-License-Identifier: LGPL-2.1 */
/* front.h - have the program call this library's functions where the C library comes first */
#ifndef KTRACE_WRITER_FRONT_H
#define KTRACE_WRITER_FRONT_H

void front_place(void);

#endif
