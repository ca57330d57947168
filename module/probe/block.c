// SPDX-License-Identifier: GPL-2.0
/*
 * block.c - family "block": requests that block devices get, execute and complete
 *
 * A request is identified by its tag, which it has from allocation to release. With an I/O
 * scheduler that is the scheduler's tag, because requeuing a request returns the driver's tag.
 * Requests that belong to no disk, i.e. a controller's own, are left out.
 */
#include "probe.h"
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <trace/events/block.h>
#include "compat.h"
#include "emit.h"

static_assert(sizeof(struct ktrace_ev_block_complete) <= KT_HIDE_MAX);

static u32 stable_op(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return KTRACE_BLOCK_READ;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		return KTRACE_BLOCK_WRITE;
	case REQ_OP_FLUSH:
		return KTRACE_BLOCK_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return KTRACE_BLOCK_DISCARD;
	case REQ_OP_WRITE_ZEROES:
		return KTRACE_BLOCK_ZEROES;
	default:
		return KTRACE_BLOCK_OTHER;
	}
}

static u32 tag_of(const struct request *rq)
{
	int tag = rq->internal_tag < 0 ? rq->tag : rq->internal_tag;

	return rq->mq_hctx->queue_num << 16 | (tag & 0xffff);
}

/* Returns the sector of a request; flushes and commands have none, which is 0. */
static u64 sector_of(struct request *rq)
{
	return blk_rq_is_passthrough(rq) || blk_rq_pos(rq) == (sector_t)-1 ? 0 : blk_rq_pos(rq);
}

static u32 dev_of(const struct request *rq)
{
	const dev_t dev = disk_devt(kt_compat_disk(rq));

	return MAJOR(dev) << 20 | MINOR(dev);
}

/* Hides where a request goes: its user is unknown, and may be another one. */
static void hide_sector(void *payload, bool who, bool other)
{
	((struct ktrace_ev_block *)payload)->sector = 0;
}

static void emit_request(u16 id, struct request *rq)
{
	struct ktrace_ev_block payload;

	if (!kt_compat_disk(rq))
		return;
	payload = (struct ktrace_ev_block){
		.dev = dev_of(rq),
		.tag = tag_of(rq),
		.sector = sector_of(rq),
		.bytes = blk_rq_bytes(rq),
		.op = stable_op(rq),
	};
	kt_emit_current(id, &payload, sizeof(payload), hide_sector);
}

static void on_block_issue(void *data, struct request *rq)
{
	emit_request(KTRACE_EV_BLOCK_ISSUE, rq);
}

static void on_block_requeue(void *data, struct request *rq)
{
	emit_request(KTRACE_EV_BLOCK_REQUEUE, rq);
}

static void emit_complete(struct request *rq, int error, unsigned int bytes)
{
	struct ktrace_ev_block_complete payload;

	if (!kt_compat_disk(rq))
		return;
	payload = (struct ktrace_ev_block_complete){
		.dev = dev_of(rq),
		.tag = tag_of(rq),
		.sector = sector_of(rq),
		.bytes = bytes,
		.op = stable_op(rq),
		.left = blk_rq_bytes(rq) > bytes ? blk_rq_bytes(rq) - bytes : 0,
		.error = error,
	};
	kt_emit_current(KTRACE_EV_BLOCK_COMPLETE, &payload, sizeof(payload), hide_sector);
}

static void on_block_complete(void *data, struct request *rq, blk_status_t error,
			      unsigned int bytes)
{
	emit_complete(rq, IS_ENABLED(CONFIG_BLOCK) ? blk_status_to_errno(error) : 0, bytes);
}

static void on_block_complete_errno(void *data, struct request *rq, int error, unsigned int bytes)
{
	emit_complete(rq, error, bytes);
}

struct kt_probe kt_probe_block[] = {
	{ KT_TRACEPOINT(KTRACE_EV_BLOCK_ISSUE, block_rq_issue, on_block_issue) },
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_BLOCK_COMPLETE, block_rq_complete, on_block_complete,
			       on_block_complete_errno) },
	{ KT_TRACEPOINT(KTRACE_EV_BLOCK_REQUEUE, block_rq_requeue, on_block_requeue) },
	{ }
};
