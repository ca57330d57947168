/* SPDX-License-Identifier: GPL-2.0 */
/* dying.h - ktraced processes that have been killed but still exist */
#ifndef KTRACED_BASE_DYING_H
#define KTRACED_BASE_DYING_H

/**
 * dying_wait - wait until they have ended
 *
 * Until then their sessions have an owner, and their files a writer. If the kernel cannot end a
 * process because a disk or a network file system does not answer, gives up after 10 s and reports
 * the process.
 */
void dying_wait(void);

#endif
