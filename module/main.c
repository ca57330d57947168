// SPDX-License-Identifier: GPL-2.0
/* main.c - loading and unloading: the units in order, and in reverse */
#include <linux/module.h>
#include "access.h"
#include "buffer.h"
#include "chunk.h"
#include "chunk_send.h"
#include "context.h"
#include "device.h"
#include "execs.h"
#include "orphans.h"
#include "lend.h"
#include "missed.h"
#include "online.h"
#include "probe.h"
#include "seal.h"
#include "session.h"

static int __init ktrace_init(void)
{
	int err;

	err = kt_session_init();
	if (err)
		return err;
	err = kt_context_init();
	if (err)
		return err;
	err = kt_probe_init();
	if (err)
		goto err_exit_context;
	err = kt_buffer_init();
	if (err)
		goto err_exit_probe;
	kt_chunk_init(kt_session_clock());
	kt_missed_init();
	kt_lend_init();
	kt_execs_init();
	err = kt_online_init();
	if (err)
		goto err_exit_buffer;
	kt_access_init();
	err = kt_orphans_init();
	if (err)
		goto err_exit_access;
	err = kt_device_init();
	if (err)
		goto err_exit_kept;
	return 0;

err_exit_kept:
	kt_orphans_exit();
err_exit_access:
	kt_access_exit();
	kt_online_exit();
err_exit_buffer:
	kt_buffer_exit();
err_exit_probe:
	kt_probe_exit();
err_exit_context:
	kt_context_exit();
	return err;
}

/*
 * Descriptors and client modules hold the module: only kept sessions, jobs that no sender took, and
 * chunks may be left.
 */
static void __exit ktrace_exit(void)
{
	kt_device_exit();
	kt_orphans_exit();
	kt_chunk_sender_exit();
	kt_access_exit();
	kt_online_exit();
	kt_chunk_exit();
	kt_buffer_exit();
	kt_seal_exit();
	kt_probe_exit();
	kt_context_exit();
}

module_init(ktrace_init);
module_exit(ktrace_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tracer for user and kernel events");
