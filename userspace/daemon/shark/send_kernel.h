/* SPDX-License-Identifier: GPL-2.0 */
/* send_kernel.h - sends the chunks of the kernel's S.Ha.R.K. tracer */
#ifndef KTRACED_SHARK_SEND_KERNEL_H
#define KTRACED_SHARK_SEND_KERNEL_H

#include "send.h"

/* A thread serves the kernel from now on. Return: 0, -errno if the kernel does not let us. */
int send_kernel_begin(struct sender *s);
/* What is queued is sent first, if there is time. Return: false if the thread is stuck. */
bool send_kernel_end(struct sender *s);

#endif
