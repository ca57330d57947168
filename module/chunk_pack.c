// SPDX-License-Identifier: GPL-2.0
/*
 * chunk_pack.c - compressing a chunk (SHK-11)
 *
 * Uses the kernel's zstd, whose module is loaded on demand. It compresses a limited amount at
 * a time, so the result is a sequence of frames, each of at most PIECE bytes of events. Without
 * zstd or memory the chunk stays unchanged.
 */
#include <crypto/acompress.h>
#include <linux/crypto.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktrace_shark.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "chunk.h"

enum {
	/* kmalloc() provides both sizes without effort; a frame is at most FRAME_MAX bytes. */
	FRAME_MAX = 32768,
	PIECE = 28 * 1024,
	PIECE_EVENTS = PIECE / sizeof(struct ktrace_shark_event),
};

/**
 * struct pack - one chunk being compressed
 * @view:	its events and status
 * @req:	request to the kernel's compressor
 * @wait:	completion of @req
 * @in:		one piece of events
 * @frame:	one frame
 * @out:	all frames
 * @room:	bytes that fit into @out
 * @bytes:	bytes of the frames in @out
 */
struct pack {
	const struct kt_shark_view *view;
	struct acomp_req *req;
	struct crypto_wait wait;
	struct ktrace_shark_event *in;
	u8 *frame;
	u8 *out;
	u64 room;
	u64 bytes;
};

/* Compresses @nr events from the @i-th on. */
static int pack_piece(struct pack *p, u32 i, u32 nr)
{
	struct scatterlist from, to;
	u32 k;
	int err;

	for (k = 0; k < nr; k++)
		p->in[k] = *kt_shark_event_at(p->view, i + k);
	sg_init_one(&from, p->in, nr * sizeof(*p->in));
	sg_init_one(&to, p->frame, FRAME_MAX);
	acomp_request_set_params(p->req, &from, &to, nr * sizeof(*p->in), FRAME_MAX);
	err = crypto_wait_req(crypto_acomp_compress(p->req), &p->wait);
	if (err)
		return err;
	if (p->req->dlen > FRAME_MAX || p->req->dlen > p->room - p->bytes)
		return -EOVERFLOW;
	memcpy(p->out + p->bytes, p->frame, p->req->dlen);
	p->bytes += p->req->dlen;
	return 0;
}

static int pack_all(struct pack *p)
{
	const u32 nr = p->view->status.events + p->view->status.emergency_events;
	int err = 0;
	u32 i;

	for (i = 0; i < nr && !err; i += PIECE_EVENTS) {
		err = pack_piece(p, i, min_t(u32, nr - i, PIECE_EVENTS));
		cond_resched();
	}
	return err;
}

static int alloc_buffers(struct pack *p)
{
	const struct FTrace_Chunk *s = &p->view->status;
	const u64 bytes = (u64)s->size + s->emergency_size;

	/* Incompressible data grows by some bytes per frame. */
	p->room = bytes + (bytes / PIECE + 1) * (FRAME_MAX - PIECE);
	p->in = kmalloc(PIECE, GFP_KERNEL_ACCOUNT);
	p->frame = kmalloc(FRAME_MAX, GFP_KERNEL_ACCOUNT);
	p->out = __vmalloc(p->room, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	return p->in && p->frame && p->out ? 0 : -ENOMEM;
}

static void free_buffers(struct pack *p)
{
	vfree(p->out);
	kfree(p->frame);
	kfree(p->in);
}

/* Compresses all events with @tfm; the buffers are allocated. */
static int pack_by(struct pack *p, struct crypto_acomp *tfm)
{
	int err;

	p->req = acomp_request_alloc(tfm);
	if (!p->req)
		return -ENOMEM;
	crypto_init_wait(&p->wait);
	acomp_request_set_callback(p->req, CRYPTO_TFM_REQ_MAY_BACKLOG | CRYPTO_TFM_REQ_MAY_SLEEP,
				   crypto_req_done, &p->wait);
	err = pack_all(p);
	acomp_request_free(p->req);
	return err;
}

static int chunk_pack_run(struct pack *p)
{
	struct crypto_acomp *tfm;
	int err;

	/* If it were a module, it would have to be loaded before ours. */
	if (!IS_BUILTIN(CONFIG_CRYPTO_ACOMP2))
		return -EOPNOTSUPP;
	tfm = crypto_alloc_acomp("zstd", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = pack_by(p, tfm);
	crypto_free_acomp(tfm);
	return err;
}

/* Compresses a held chunk and replaces its memory by the frames. */
static int compress_held(const struct kt_shark_view *view)
{
	struct pack p = { .view = view };
	struct kt_chunk_memory *m;
	int err = view->status.flags & FTRACE_CHUNK_FLAG_COMPR ? -EALREADY : alloc_buffers(&p);

	if (!err)
		err = chunk_pack_run(&p);
	if (!err) {
		m = kt_chunk_memory_alloc(max(p.bytes, 1ull));
		if (m) {
			memcpy(m->data, p.out, p.bytes);
			kt_chunk_replace(view->status.number, m, p.bytes);
		} else {
			err = -ENOMEM;
		}
	}
	free_buffers(&p);
	return err;
}

/**
 * FTrace_compress_chunk - compress the events of a chunk (SHK-11)
 * @n:		its number
 * @new_flags:	its flags afterwards, besides COMPR
 *
 * The chunk is BUSY meanwhile. Afterwards it can be sent and deleted, but not used again: if it is
 * selected, it is deselected. Its events are then zstd frames: uapi/linux/ktrace_shark.h.
 *
 * Context: process, sleeps.
 * Return: 0; -1 no such chunk, it is BUSY or COMPR, invalid flags, no memory, or no zstd: the chunk
 * is then unchanged.
 */
int FTrace_compress_chunk(int n, FTrace_flags new_flags)
{
	struct kt_shark_view view;
	int err = kt_shark_check_flags(new_flags);

	if (!err)
		err = kt_shark_hold(&kt_chunk_tracer, n, &view);
	if (err)
		return -1;
	err = compress_held(&view);
	if (err)
		kt_shark_restore(&kt_chunk_tracer, n);
	else
		kt_shark_release(&kt_chunk_tracer, n, new_flags);
	return err ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_compress_chunk);
