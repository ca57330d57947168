/* SPDX-License-Identifier: GPL-2.0 */
/* lockdown.h - whether the kernel tells even root nothing of its memory */
#ifndef KTRACED_BASE_LOCKDOWN_H
#define KTRACED_BASE_LOCKDOWN_H

#include <stdbool.h>

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* For messages about what is refused then */
#define LOCKDOWN_WHY "the kernel is locked down (confidentiality in " LOCKDOWN_FILE ")"

/** lockdown_is_on - is the kernel locked down for confidentiality? False if that is not known */
bool lockdown_is_on(void);

#endif
