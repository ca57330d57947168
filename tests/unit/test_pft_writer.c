// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_writer.c - packets through shared pages: written, committed, patched, read again
 *
 * Requirements PFT-30..37, PFT-40, PFT-23 and PFT-43; the lists GetAndReturnChunks, BatchCommits,
 * WriterIDsAllocation, BufferExhaustedPolicy, StartupTracing, fragmenting with patches, flush.
 */
#include "pft_chunk.h"

#include "pft_writer/packet_writer.h"
#include "service/buffer/shmem.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A service of one producer and one buffer */
struct bench {
	struct shmem smb;
	struct arbiter arbiter;
	struct trace_buffer *trace;
	bool is_stopped;	/* the service does not get on */
	unsigned int messages;
	unsigned int moves;
	unsigned int patches;
	unsigned int waits;
	uint64_t waited_us;
	uint32_t last_target;
	uint64_t flush;
	uint32_t read;		/* packets */
};

static struct trace_buffer_origin origin_of(uint16_t writer)
{
	return (struct trace_buffer_origin){ .producer = 1, .writer = writer };
}

static void move(struct bench *b, const Pft__CommitDataRequest__ChunksToMove *m)
{
	static struct shmem_chunk chunk;
	struct trace_buffer_chunk to;

	if (m->has_data)
		CHECK_EQ(shmem_parse(m->data.data, m->data.len, &chunk), 0);
	else
		CHECK_EQ(shmem_take(&b->smb, m->page, m->chunk, &chunk), 0);
	to = (struct trace_buffer_chunk){
		.origin = origin_of(chunk.writer), .id = chunk.id, .packets = chunk.packets,
		.flags = chunk.flags, .is_complete = chunk.is_complete,
		.payload = chunk.payload, .size = chunk.size,
	};
	trace_buffer_put(b->trace, &to);
	b->last_target = m->target_buffer;
	b->moves++;
}

static void apply_patch(struct bench *b, const Pft__CommitDataRequest__ChunkToPatch *p)
{
	const struct trace_buffer_origin origin = origin_of((uint16_t)p->writer_id);
	struct trace_buffer_patch patch = { .offset = p->patches[0]->offset };

	CHECK_EQ(p->n_patches, 1);
	CHECK_EQ(p->patches[0]->data.len, 4);
	memcpy(patch.data, p->patches[0]->data.data, 4);
	CHECK(trace_buffer_patch(b->trace, &origin, p->chunk_id, &patch, 1, p->has_more_patches));
	b->patches++;
}

/* Over the wire and back */
static void receive(void *context, const Pft__CommitDataRequest *request)
{
	static uint8_t bytes[1 << 20];
	struct bench *b = context;
	const size_t size = pft__commit_data_request__pack(request, bytes);
	Pft__CommitDataRequest *r;

	CHECK(size <= 128 * 1024 - 64);
	b->messages++;
	if (b->is_stopped)
		return;
	r = pft__commit_data_request__unpack(NULL, size, bytes);
	CHECK(r);
	for (size_t i = 0; i < r->n_chunks_to_move; i++)
		move(b, r->chunks_to_move[i]);
	for (size_t i = 0; i < r->n_chunks_to_patch; i++)
		apply_patch(b, r->chunks_to_patch[i]);
	b->flush = r->flush_request_id;
	pft__commit_data_request__free_unpacked(r, NULL);
}

static void pass_time(void *context, unsigned int us)
{
	struct bench *b = context;

	CHECK(us <= ARBITER_STALL_MAX_US);
	b->waits++;
	b->waited_us += us;
}

enum way {
	WAY_BATCHED = 1,
	WAY_EMULATED = 2,
	WAYS = 4,
};

static void bench_init(struct bench *b, size_t pages, enum shmem_layout layout, unsigned int way)
{
	struct arbiter_config config = {
		.page_size = 4096, .layout = layout, .is_batched = way & WAY_BATCHED,
		.is_emulated = way & WAY_EMULATED, .send = receive, .wait = pass_time,
		.context = b,
	};

	*b = (struct bench){ 0 };
	CHECK_EQ(shmem_make(&b->smb, pages * 4096, 4096), 0);
	config.memory = b->smb.memory;
	config.size = b->smb.size;
	CHECK_EQ(arbiter_init(&b->arbiter, &config), 0);
	b->trace = make_trace_buffer(8 << 20, TRACE_BUFFER_RING);
}

/* All pages are free again when all was read. */
static void bench_exit(struct bench *b)
{
	if (!b->is_stopped)
		for (uint32_t i = 0; i < b->smb.page_nr; i++)
			CHECK_EQ(shmem_page_word(b->smb.memory + i * 4096), 0);
	CHECK_EQ(b->arbiter.lost, 0);
	CHECK_EQ(b->trace->stats.abi_violations, 0);
	check_ledger(b->trace);
	arbiter_exit(&b->arbiter);
	trace_buffer_free(b->trace);
	shmem_exit(&b->smb);
}

/* A test event: @depth messages in each other, with @size bytes of text before and after */
static void put_event(struct packet_writer *w, uint32_t number, unsigned int depth, size_t size)
{
	static uint8_t bytes[600000], text[500000];
	uint8_t *end;

	memset(text, 'a' + (int)(number % 26), size);
	packet_begin(w);
	packet_open(w, 900);
	end = wire_put_number(bytes, 2, number);
	packet_put(w, bytes, (size_t)(end - bytes));
	packet_open(w, 5);
	for (unsigned int i = 0; i < depth; i++) {
		end = wire_put_bytes(bytes, 1, text, size);
		packet_put(w, bytes, (size_t)(end - bytes));
		packet_open(w, 2);
	}
	for (unsigned int i = 0; i < depth; i++) {
		packet_close(w);
		end = wire_put_bytes(bytes, 1, text, size);
		packet_put(w, bytes, (size_t)(end - bytes));
	}
	packet_close(w);
	packet_close(w);
	packet_end(w);
}

static void check_text(const char *text, uint32_t number, size_t size)
{
	CHECK_EQ(strlen(text), size);
	for (size_t i = 0; i < size; i++)
		CHECK_EQ(text[i], 'a' + (int)(number % 26));
}

static Pft__TracePacket *next_event(struct bench *b)
{
	struct trace_buffer_packet p;
	Pft__TracePacket *packet;

	if (!trace_buffer_read(b->trace, &p))
		return NULL;
	packet = pft__trace_packet__unpack(NULL, p.size, p.data);
	CHECK(packet);
	return packet;
}

static void expect_event(struct bench *b, uint32_t number, unsigned int depth, size_t size)
{
	Pft__TracePacket *p = next_event(b);
	const Pft__TestEvent__TestPayload *payload;

	CHECK(p);
	CHECK_EQ(p->for_testing->seq_value, number);
	payload = p->for_testing->payload;
	for (unsigned int i = 0; i < depth; i++, payload = payload->nested[0]) {
		CHECK_EQ(payload->n_str, 2);
		check_text(payload->str[0], number, size);
		check_text(payload->str[1], number, size);
		CHECK_EQ(payload->n_nested, 1);
	}
	CHECK_EQ(payload->n_nested, 0);
	CHECK_EQ(p->first_packet_on_sequence, number == 0);
	pft__trace_packet__free_unpacked(p, NULL);
}

/* Sizes from nothing to longer than all the memory, in each layout, in each way of committing */
static void fragments(void)
{
	static const size_t sizes[] = { 0, 1, 100, 250, 290, 500, 1000, 2040, 4000, 9000, 40000 };

	for (unsigned int way = 0; way < WAYS; way++) {
		for (enum shmem_layout layout = SHMEM_DIV1; layout <= SHMEM_DIV14; layout++) {
			struct packet_writer w;
			struct bench b;

			bench_init(&b, 8, layout, way);
			CHECK_EQ(packet_writer_init(&w, &b.arbiter, 3, EXHAUSTED_DROP), 0);
			for (uint32_t i = 0; i < 44; i++)
				put_event(&w, i, i / 11, sizes[i % 11]);
			packet_flush(&w, 77);
			CHECK_EQ(b.flush, 77);
			CHECK_EQ(b.last_target, 3);
			CHECK_EQ(w.dropped, 0);
			trace_buffer_read_begin(b.trace);
			for (uint32_t i = 0; i < 44; i++)
				expect_event(&b, i, i / 11, sizes[i % 11]);
			CHECK(!next_event(&b));
			packet_writer_exit(&w);
			bench_exit(&b);
		}
	}
}

/* A size that its chunk still has when it is known is written there: no patch is sent. */
static void patches_where_possible(void)
{
	for (unsigned int way = 0; way <= WAY_BATCHED; way++) {
		struct packet_writer w;
		struct bench b;

		bench_init(&b, 16, SHMEM_DIV1, way);
		packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_DROP);
		put_event(&w, 0, 2, 3000);
		packet_flush(&w, 0);
		CHECK_EQ(b.patches > 0, !way);
		CHECK_EQ(b.messages == 1, way == WAY_BATCHED);
		trace_buffer_read_begin(b.trace);
		expect_event(&b, 0, 2, 3000);
		packet_writer_exit(&w);
		bench_exit(&b);
	}
}

/* Half of the memory is waiting to be committed: it is sent before anybody has to ask (PFT-32). */
static void sent_when_half_full(void)
{
	struct packet_writer w;
	struct bench b;

	bench_init(&b, 8, SHMEM_DIV1, WAY_BATCHED);
	packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_STALL_THEN_ABORT);
	for (uint32_t i = 0; i < 1000; i++)
		put_event(&w, i, 1, 500);
	CHECK_EQ(b.waits, 0);
	CHECK(b.messages < b.moves / 3);
	packet_flush(&w, 0);
	trace_buffer_read_begin(b.trace);
	for (uint32_t i = 0; i < 1000; i++)
		expect_event(&b, i, 1, 500);
	packet_writer_exit(&w);
	bench_exit(&b);
}

static void get_on(struct bench *b, unsigned int pages)
{
	static struct shmem_chunk chunk;

	for (uint32_t page = 0; page < pages; page++)
		for (uint32_t i = 0; i < SHMEM_CHUNKS_MAX; i++)
			shmem_take(&b->smb, page, i, &chunk);
	b->is_stopped = false;
}

/*
 * The service does not take anything: packets are dropped, also one that has begun; when there is
 * room again the next one says what was lost (PFT-31, PFT-55).
 */
static void exhausted_drop(void)
{
	for (size_t size = 10; size < 20000; size *= 3) {
		struct packet_writer w;
		Pft__TracePacket *p;
		struct bench b;
		uint32_t i = 0;

		bench_init(&b, 4, SHMEM_DIV4, 0);
		packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_DROP);
		b.is_stopped = true;
		while (w.dropped < 10)
			put_event(&w, i++, 2, size);
		CHECK_EQ(b.waits, 0);
		get_on(&b, 4);
		put_event(&w, i, 1, 1);
		packet_flush(&w, 0);
		CHECK_EQ(w.dropped, 10);
		trace_buffer_finish(b.trace);
		trace_buffer_read_begin(b.trace);
		p = next_event(&b);
		CHECK(p);
		CHECK_EQ(p->for_testing->seq_value, i);
		CHECK_EQ(p->previous_packet_dropped, TRACE_BUFFER_DROPPED | TRACE_BUFFER_SMB_FULL);
		pft__trace_packet__free_unpacked(p, NULL);
		packet_writer_exit(&w);
		bench_exit(&b);
	}
}

/* What is given up in the middle does not stall what follows: patches of it come as well. */
static void abandoned_packet(void)
{
	static const uint8_t zeros[4000];
	struct packet_writer w;
	Pft__TracePacket *p;
	struct bench b;

	bench_init(&b, 2, SHMEM_DIV1, 0);
	packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_DROP);
	put_event(&w, 0, 0, 0);
	packet_begin(&w);
	packet_open(&w, 900);
	packet_put(&w, zeros, 100);
	for (int i = 0; i < 2; i++)
		packet_put(&w, zeros, 4000);
	b.is_stopped = true;
	for (int i = 0; i < 4; i++)
		packet_put(&w, zeros, 4000);
	CHECK(w.is_dropping);
	b.is_stopped = false;
	/* Those that the service had not been told */
	for (uint32_t page = 0; page < 2; page++) {
		Pft__CommitDataRequest__ChunksToMove m = { .page = page, .target_buffer = 0 };

		if (shmem_word_state(shmem_page_word(b.smb.memory + page * 4096),
				     0) == SHMEM_COMPLETE)
			move(&b, &m);
	}
	packet_close(&w);
	packet_end(&w);
	put_event(&w, 1, 0, 0);
	packet_flush(&w, 0);
	trace_buffer_read_begin(b.trace);
	expect_event(&b, 0, 0, 0);
	p = next_event(&b);
	CHECK(p);
	CHECK_EQ(p->for_testing->seq_value, 1);
	pft__trace_packet__free_unpacked(p, NULL);
	CHECK_EQ(b.trace->stats.trace_writer_packet_loss, 1);
	packet_writer_exit(&w);
	bench_exit(&b);
}

static void exhausted_stall(void)
{
	struct packet_writer w;
	struct bench b;
	uint32_t i = 0;

	bench_init(&b, 2, SHMEM_DIV1, 0);
	packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_STALL_THEN_DROP);
	b.is_stopped = true;
	while (!w.dropped)
		put_event(&w, i++, 1, 500);
	CHECK_EQ(b.waits, ARBITER_STALLS_MAX);
	CHECK(b.waited_us > 29000000);
	/* Once it drops, it does not wait for each packet. */
	put_event(&w, i++, 1, 500);
	CHECK_EQ(b.waits, ARBITER_STALLS_MAX);
	get_on(&b, 2);
	put_event(&w, i++, 1, 500);
	CHECK_EQ(w.dropped, 2);
	packet_writer_exit(&w);
	bench_exit(&b);
}

static void exhausted_abort(void)
{
	const pid_t pid = fork();
	int status;

	if (!pid) {
		struct packet_writer w;
		struct bench b;

		bench_init(&b, 2, SHMEM_DIV1, 0);
		packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_STALL_THEN_ABORT);
		b.is_stopped = true;
		for (uint32_t i = 0;; i++)
			put_event(&w, i, 1, 500);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGABRT);
}

/* More writers than chunks take turns; each one's packets are in order (PFT-07, PFT-30). */
static void many_writers(void)
{
	static struct packet_writer w[40];
	uint32_t next[41] = { 0 };
	struct trace_buffer_packet p;
	struct bench b;

	bench_init(&b, 1, SHMEM_DIV14, 0);
	for (int i = 0; i < 40; i++)
		CHECK_EQ(packet_writer_init(&w[i], &b.arbiter, 0, EXHAUSTED_DROP), 0);
	for (uint32_t n = 0; n < 20; n++) {
		for (int i = 0; i < 40; i++) {
			put_event(&w[i], n, 1, 30);
			packet_flush(&w[i], 0);
		}
	}
	trace_buffer_read_begin(b.trace);
	while (trace_buffer_read(b.trace, &p)) {
		Pft__TracePacket *t = pft__trace_packet__unpack(NULL, p.size, p.data);

		CHECK_EQ(t->for_testing->seq_value, next[p.origin.writer]++);
		pft__trace_packet__free_unpacked(t, NULL);
	}
	for (int i = 0; i < 40; i++) {
		CHECK_EQ(next[w[i].id], 20);
		packet_writer_exit(&w[i]);
	}
	bench_exit(&b);
}

/* Ids are used again as late as possible, and there are only so many (PFT-36). */
static void writer_ids(void)
{
	struct bench b;

	bench_init(&b, 1, SHMEM_DIV1, 0);
	for (uint32_t i = 1; i <= ARBITER_WRITERS_MAX; i++)
		CHECK_EQ(arbiter_writer(&b.arbiter), i);
	CHECK_EQ(arbiter_writer(&b.arbiter), 0);
	arbiter_writer_end(&b.arbiter, 7);
	CHECK_EQ(arbiter_writer(&b.arbiter), 7);
	arbiter_writer_end(&b.arbiter, 3);
	arbiter_writer_end(&b.arbiter, 9);
	CHECK_EQ(arbiter_writer(&b.arbiter), 9);
	CHECK_EQ(arbiter_writer(&b.arbiter), 3);
	bench_exit(&b);
}

/* Packets from before the target is known: kept, in order, or gone (PFT-37). */
static void startup(void)
{
	for (int is_bound = 0; is_bound < 2; is_bound++) {
		struct packet_writer early, late;
		struct bench b;

		bench_init(&b, 8, SHMEM_DIV4, 0);
		packet_writer_init(&early, &b.arbiter, ARBITER_RESERVED + 2, EXHAUSTED_DROP);
		packet_writer_init(&late, &b.arbiter, 1, EXHAUSTED_DROP);
		put_event(&early, 0, 1, 10);
		packet_flush(&early, 0);
		put_event(&early, 1, 2, 2000);
		packet_flush(&early, 0);
		CHECK_EQ(b.moves, 0);
		put_event(&late, 0, 0, 0);
		packet_flush(&late, 0);
		CHECK_EQ(b.moves, 1);
		if (is_bound)
			arbiter_bind(&b.arbiter, ARBITER_RESERVED + 2, 5);
		else
			arbiter_abort(&b.arbiter, ARBITER_RESERVED + 2);
		CHECK_EQ(b.last_target, is_bound ? 5 : 1);
		put_event(&early, 2, 0, 0);
		packet_flush(&early, 0);
		trace_buffer_read_begin(b.trace);
		expect_event(&b, 0, 0, 0);
		if (is_bound) {
			expect_event(&b, 0, 1, 10);
			expect_event(&b, 1, 2, 2000);
			expect_event(&b, 2, 0, 0);
		}
		CHECK(!next_event(&b));
		packet_writer_exit(&early);
		packet_writer_exit(&late);
		bench_exit(&b);
	}
}

static void scrape(struct bench *b)
{
	static struct shmem_chunk chunk;
	uint32_t cursor = 0;

	while (shmem_scrape(&b->smb, &cursor, &chunk)) {
		const struct trace_buffer_chunk to = {
			.origin = origin_of(chunk.writer), .id = chunk.id,
			.packets = chunk.packets, .flags = chunk.flags,
			.is_complete = chunk.is_complete, .payload = chunk.payload,
			.size = chunk.size,
		};

		trace_buffer_put(b->trace, &to);
	}
}

/* Some of the packets before @written: whole, in order, each once */
static void look(struct bench *b, uint32_t written)
{
	Pft__TracePacket *p;

	scrape(b);
	trace_buffer_read_begin(b->trace);
	while ((p = next_event(b))) {
		CHECK_EQ(p->for_testing->seq_value, b->read++);
		CHECK_EQ(strlen(p->for_testing->str), 2 * (p->for_testing->seq_value % 90));
		pft__trace_packet__free_unpacked(p, NULL);
	}
	CHECK(b->read <= written);
}

/* A packet in small steps, at each of which its chunk is looked into */
static void put_watched(struct bench *b, struct packet_writer *w, uint32_t number)
{
	static const char text[90] = { [0 ... 89] = 'a' };
	const size_t size = number % 90;
	uint8_t bytes[2 * WIRE_VARINT_MAX], *end;

	packet_begin(w);
	look(b, number);
	packet_open(w, 900);
	look(b, number);
	end = wire_put_number(bytes, 2, number);
	packet_put(w, bytes, (size_t)(end - bytes));
	packet_open(w, 1);
	for (int i = 0; i < 2; i++) {
		packet_put(w, text, size);
		look(b, number);
	}
	for (int i = 0; i < 2; i++) {
		packet_close(w);
		look(b, number);
	}
	packet_end(w);
}

/* At each step: never the packet that was begun last, and none twice (PFT-26, PFT-56) */
static void scraped(void)
{
	struct packet_writer w;
	struct bench b;

	bench_init(&b, 4, SHMEM_DIV2, 0);
	packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_DROP);
	for (uint32_t i = 0; i < 200; i++) {
		put_watched(&b, &w, i);
		look(&b, i + 1);
		CHECK(b.read >= i);
	}
	packet_flush(&w, 0);
	look(&b, 200);
	CHECK_EQ(b.read, 200);
	packet_writer_exit(&w);
	bench_exit(&b);
}

/* A commit that would be longer than a frame is several, in order (PFT-33). */
static void long_commits(void)
{
	struct packet_writer w;
	struct bench b;

	bench_init(&b, 128, SHMEM_DIV1, WAY_BATCHED | WAY_EMULATED);
	packet_writer_init(&w, &b.arbiter, 0, EXHAUSTED_DROP);
	for (uint32_t i = 0; i < 20; i++)
		put_event(&w, i, 1, 5000);
	CHECK_EQ(b.messages, 0);
	packet_flush(&w, 5);
	CHECK(b.messages > 1);
	CHECK_EQ(b.flush, 5);
	trace_buffer_read_begin(b.trace);
	for (uint32_t i = 0; i < 20; i++)
		expect_event(&b, i, 1, 5000);
	packet_writer_exit(&w);
	bench_exit(&b);
}

int main(void)
{
	fragments();
	patches_where_possible();
	sent_when_half_full();
	exhausted_drop();
	abandoned_packet();
	exhausted_stall();
	exhausted_abort();
	many_writers();
	writer_ids();
	startup();
	scraped();
	long_commits();
	return 0;
}
