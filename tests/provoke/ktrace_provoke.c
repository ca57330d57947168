// SPDX-License-Identifier: GPL-2.0
/*
 * ktrace_provoke.c - events that a guest does not have by itself, and marks that two tracers share
 *
 *   echo N >/sys/module/ktrace_provoke/parameters/log
 *	on each CPU, with interrupts off: TRACER_LOGEVENT and the tracepoint ktrace_provoke:log say
 *	N. No interrupt comes between them, so what a tracer records between two marks is the same
 *	for both.
 *   echo KHZ >/sys/module/ktrace_provoke/parameters/khz
 *	the tracepoint power:cpu_frequency, on each CPU: emulated ones have one frequency
 *   echo MS >/sys/module/ktrace_provoke/parameters/sleep_ms
 *	sleeps so long, with a lock held for which other writers of parameters wait
 *   /dev/provoke
 *	a disk that forgets, whose driver gives each request back at first, to be issued again
 */
#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/kstrtox.h>
#include <linux/ktrace.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <trace/events/power.h>

#define CREATE_TRACE_POINTS
#include "provoke_trace.h"

/* A code of S.Ha.R.K.'s user events */
#define CODE 0x19

static void log_here(void *arg)
{
	const u32 n = (unsigned long)arg;
	const u16 cpu = smp_processor_id();

	TRACER_LOGEVENT(CODE, cpu, n);
	trace_log(CODE, cpu, n);
}

static void change_frequency_here(void *arg)
{
	trace_cpu_frequency((unsigned long)arg, smp_processor_id());
}

static int call_everywhere(const char *text, void (*func)(void *arg))
{
	unsigned int n;
	int err = kstrtouint(text, 0, &n);

	if (!err)
		on_each_cpu(func, (void *)(unsigned long)n, 1);
	return err;
}

static int set_log(const char *text, const struct kernel_param *param)
{
	return call_everywhere(text, log_here);
}

static int set_khz(const char *text, const struct kernel_param *param)
{
	return call_everywhere(text, change_frequency_here);
}

static int set_sleep(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	int err = kstrtouint(text, 0, &ms);

	if (!err)
		msleep(ms);
	return err;
}

static const struct kernel_param_ops log_ops = { .set = set_log };
static const struct kernel_param_ops khz_ops = { .set = set_khz };
static const struct kernel_param_ops sleep_ops = { .set = set_sleep };

module_param_cb(log, &log_ops, NULL, 0200);
MODULE_PARM_DESC(log, "log this number on each CPU");
module_param_cb(khz, &khz_ops, NULL, 0200);
MODULE_PARM_DESC(khz, "say that each CPU has this frequency");
module_param_cb(sleep_ms, &sleep_ops, NULL, 0200);
MODULE_PARM_DESC(sleep_ms, "sleep so long, with the lock of this module's parameters");

/* ---- the disk ---- */

#define SECTORS 4096

static atomic_t calls;
static struct gendisk *disk;

static blk_status_t on_request(struct blk_mq_hw_ctx *ctx, const struct blk_mq_queue_data *data)
{
	blk_mq_start_request(data->rq);
	if (atomic_inc_return(&calls) & 1)
		return BLK_STS_RESOURCE;
	blk_mq_end_request(data->rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static const struct block_device_operations disk_ops = { .owner = THIS_MODULE };
static const struct blk_mq_ops queue_ops = { .queue_rq = on_request };
static struct blk_mq_tag_set tags = {
	.ops = &queue_ops,
	.nr_hw_queues = 1,
	.queue_depth = 4,
	.numa_node = NUMA_NO_NODE,
};

static int __init add_our_disk(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	disk = blk_mq_alloc_disk(&tags, NULL, NULL);
#else
	disk = blk_mq_alloc_disk(&tags, NULL);
#endif
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->fops = &disk_ops;
	disk->flags |= GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "provoke", sizeof(disk->disk_name));
	set_capacity(disk, SECTORS);
	return add_disk(disk);
}

static int __init provoke_init(void)
{
	int err = blk_mq_alloc_tag_set(&tags);

	if (err)
		return err;
	err = add_our_disk();
	if (!err)
		return 0;
	if (!IS_ERR(disk))
		put_disk(disk);
	blk_mq_free_tag_set(&tags);
	return err;
}

static void __exit provoke_exit(void)
{
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&tags);
}

module_init(provoke_init);
module_exit(provoke_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: provokes events of the kernel");
