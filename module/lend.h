/* SPDX-License-Identifier: GPL-2.0 */
/* lend.h - tells programs about children that share their memory */
#ifndef KT_LEND_H
#define KT_LEND_H

#include <linux/types.h>

struct mm_struct;

void kt_lend_init(void);

int kt_lend_get(void);
void kt_lend_put(void);

void kt_lend_add(struct mm_struct *mm, s32 word);
void kt_lend_inherit(struct mm_struct *mm, s32 word);
void kt_lend_remove(struct mm_struct *mm, s32 word);

#endif
