/* SPDX-License-Identifier: GPL-2.0 */
/* func.h - events that name the function that the kernel runs or will run */
#ifndef KT_FUNC_H
#define KT_FUNC_H

#include <linux/types.h>

void kt_func_emit(u16 id, const void *object, const void *func);
void kt_func_emit_value(u16 id, const void *object, s64 value, const void *func);

#endif
