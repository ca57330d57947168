/* SPDX-License-Identifier: GPL-2.0 */
/* dying.h - ktraced processes that have been killed and are not gone yet */
#ifndef KTRACED_BASE_DYING_H
#define KTRACED_BASE_DYING_H

/**
 * dying_wait - wait until they are gone
 *
 * Up to then their sessions have an owner, and their files a writer. A process that the kernel
 * cannot end, since a disk or a network file system does not answer, is waited for 10 s, and named.
 */
void dying_wait(void);

#endif
