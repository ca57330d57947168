/* SPDX-License-Identifier: GPL-2.0 */
/* device.h - /dev/ktrace */
#ifndef KT_DEVICE_H
#define KT_DEVICE_H

int kt_device_init(void);
void kt_device_exit(void);

#endif
