// SPDX-License-Identifier: MIT
/*
 * shark_example.c - a client module: the S.Ha.R.K. tracer as its manual shows it
 *
 *   insmod shark_example.ko disk=trace.dat
 *   insmod shark_example.ko udp=192.0.2.1
 *
 * makes three chunks in a row, logs to two of them, and has these sent: to the files
 * 0trace.dat and 1trace.dat, or as packets. With compress=1 the first is compressed before.
 * With later=1 they are only queued for the disk. What became of the two can be read from
 * /sys/module/shark_example/parameters/sent: 0, or -1.
 */
#include <linux/kernel.h>
#include <linux/ktrace_shark.h>
#include <linux/module.h>

enum { SIZE = 64000, EMERGENCY = 1600, CONTEXTS = 3 };

static char *disk;
module_param(disk, charp, 0444);
MODULE_PARM_DESC(disk, "base name of files");

static char *udp;
module_param(udp, charp, 0444);
MODULE_PARM_DESC(udp, "address to send packets to");

static bool compress;
module_param(compress, bool, 0444);
MODULE_PARM_DESC(compress, "compress the first chunk (0)");

static bool later;
module_param(later, bool, 0444);
MODULE_PARM_DESC(later, "do not wait until the files are written (0)");

static int sent[2];
module_param_array(sent, int, NULL, 0444);
MODULE_PARM_DESC(sent, "how sending the two chunks went: 0 or -1");

static int a, b, c;

/* Created in this order, each is deleted when nothing is linked to it. */
static void delete_chunks(void)
{
	FTrace_chunk_delete(a);
	FTrace_chunk_delete(b);
	FTrace_chunk_delete(c);
}

static int create_chunks(void)
{
	a = FTrace_chunk_create(SIZE, EMERGENCY, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
	b = FTrace_chunk_create(SIZE, EMERGENCY, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_JTN);
	c = FTrace_chunk_create(SIZE, EMERGENCY, FTRACE_CHUNK_FLAG_FREE | FTRACE_CHUNK_FLAG_CYC);
	if (c < 0 || FTrace_chunk_link(a, b) || FTrace_chunk_link(b, c) ||
	    FTrace_actual_chunk_select(a)) {
		delete_chunks();
		return -ENOMEM;
	}
	return 0;
}

static void log_timer(void)
{
	TRACER_LOGEVENT(FTrace_EVT_timer_post, 0, 0);
	TRACER_LOGEVENT(FTrace_EVT_timer_wakeup_start, 0, 0);
	TRACER_LOGEVENT(FTrace_EVT_timer_wakeup_end, 1, 0);
}

static void log_events(void)
{
	int i;

	FTrace_set_filter(FTrace_filter_timer, 1);
	TRACER_LOGEVENT(FTrace_EVT_trace_start, 0, FTrace_clk_per_msec());
	for (i = 1; i <= CONTEXTS; i++)
		TRACER_LOGEVENT(FTrace_EVT_id, i, 100 + i);
	log_timer();
	FTrace_set_filter(FTrace_filter_timer, 0);

	TRACER_LOGEVENT(FTrace_EVT_next_chunk, 0, 0);
	for (i = 1000; i <= 5000; i += 1000)
		FAST_TRACER_LOGEVENT(FTrace_EVT_ipoint, i);
	TRACER_LOGEVENT(FTrace_EVT_ipoint, 6000, 0);
	TRACER_LOGEVENT(FTrace_EVT_trace_stop, 0, 0);
}

static int send(int n, FTrace_flags new_flags)
{
	if (!later)
		return FTrace_send_chunk(n, 0, FTRACE_CHUNK_FLAG_FREE | new_flags);
	FTrace_disk_writer(FTrace_get_chunk_table()[n]);
	return 0;
}

static int __init shark_example_init(void)
{
	int err = create_chunks();

	if (err)
		return err;
	FTrace_enable();
	log_events();
	FTrace_disable();

	if (disk)
		err = FTrace_init_disk_writer(disk, 0, NULL, NULL);
	if (udp)
		err = FTrace_OSD_init_udp(1, NULL, udp);
	if (compress && FTrace_compress_chunk(a, FTRACE_CHUNK_FLAG_CYC))
		pr_warn("the chunk could not be compressed\n");
	sent[0] = err ?: send(a, FTRACE_CHUNK_FLAG_CYC);
	sent[1] = err ?: send(b, FTRACE_CHUNK_FLAG_JTN);
	return 0;
}

static void __exit shark_example_exit(void)
{
	delete_chunks();
}

module_init(shark_example_init);
module_exit(shark_example_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Example: the S.Ha.R.K. tracer, used by another module");
