// SPDX-License-Identifier: GPL-2.0
/*
 * deny_perf.c - a security module that lets nobody read tracepoints by perf, while it is loaded
 *
 * What a real one is asked is security_perf_event_open(), whose answer this changes.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

static int deny(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, -EACCES);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "security_perf_event_open",
	.handler = deny,
};

static int __init deny_perf_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit deny_perf_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(deny_perf_init);
module_exit(deny_perf_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: perf's tracepoints are for nobody");
