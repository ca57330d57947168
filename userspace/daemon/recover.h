/* SPDX-License-Identifier: GPL-2.0 */
/* recover.h - ktraced --recover: completes the traces of ktraced processes that were killed */
#ifndef KTRACED_RECOVER_H
#define KTRACED_RECOVER_H

#include "options.h"

/** recover_warn - report the caller's sessions left behind, at the end of a recording */
void recover_warn(void);

/** recover - do what the options request; returns the exit status */
int recover(const struct options *o);

#endif
