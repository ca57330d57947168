// SPDX-License-Identifier: GPL-2.0
/* tsc_unstable.c - has the kernel find out that the cycle counter is no good clock */
#include <linux/module.h>
#include <asm/tsc.h>

static int __init tsc_unstable_init(void)
{
	mark_tsc_unstable("a test wants it");
	return 0;
}

static void __exit tsc_unstable_exit(void)
{
}

module_init(tsc_unstable_init);
module_exit(tsc_unstable_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: a cycle counter that is no good clock");
