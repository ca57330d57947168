// SPDX-License-Identifier: GPL-2.0
/* provoke_empty.c - a module to be loaded and unloaded, without anything in it */
#include <linux/module.h>

static int __init provoke_init(void)
{
	return 0;
}

static void __exit provoke_exit(void)
{
}

module_init(provoke_init);
module_exit(provoke_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: nothing");
