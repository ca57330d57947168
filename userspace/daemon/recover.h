/* SPDX-License-Identifier: GPL-2.0 */
/* recover.h - ktraced --recover: writes out what a ktraced that was killed left behind */
#ifndef KTRACED_RECOVER_H
#define KTRACED_RECOVER_H

#include "options.h"

/** recover_warn - at the end of a recording: how many of the caller's were left behind */
void recover_warn(void);

/** recover - do what the options ask for; returns the exit status */
int recover(const struct options *o);

#endif
