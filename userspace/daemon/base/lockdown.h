/* SPDX-License-Identifier: GPL-2.0 */
/* lockdown.h - tells whether the kernel hides its memory even from root */
#ifndef KTRACED_BASE_LOCKDOWN_H
#define KTRACED_BASE_LOCKDOWN_H

#include <stdbool.h>

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* Reason for messages about things that lockdown refuses */
#define LOCKDOWN_WHY "the kernel is locked down (confidentiality in " LOCKDOWN_FILE ")"

/** lockdown_is_on - true if the kernel is locked down for confidentiality; false if unknown */
bool lockdown_is_on(void);

#endif
