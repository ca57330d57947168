// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_registry.c - the owner's side of a channel whose memory is hostile
 *
 * The input gives what is wrong with the control page, then bytes for the registry and
 * its slots, and changes of them while they are read. Sanitizers are told that nothing else may
 * be looked at meanwhile. Entries come once and end; what ktraced makes of their texts is
 * one line of META each, whose keys that matter say what the entry says.
 */
#include <errno.h>
#include <sanitizer/asan_interface.h>

#include "fuzz.h"

#include "../../userspace/daemon/output/meta.c"
#include "../../userspace/lib/session/channel.c"
#include "../../userspace/lib/session/registry.c"
#include "traceset/trace.h"

#define REGISTRY 4096u

/**
 * struct world - one channel
 * @in:		the input
 * @control:	its control page
 * @map:	the mapping
 * @size:	its bytes
 * @ch:		the channel
 * @registry:	what is tested
 * @entries:	delivered so far
 * @room:	for how many entries slots had room so far
 */
static struct world {
	struct input in;
	struct ktrace_control control;
	char *map;
	size_t size;
	struct channel ch;
	struct registry registry;
	__u32 entries;
	__u64 room;
} w;

static bool make_channel(void)
{
	unsigned int shape = (unsigned int)input_number(&w.in, 1), n;
	unsigned int slots = (unsigned int)input_number(&w.in, 1);
	size_t off;

	w.control = (struct ktrace_control){
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(w.control), .kind = KTRACE_CHANNEL_USER,
		.ring_nr = 1 + (shape & 3), .cpu_nr = shape & 1, .block_size = 4096,
		.policy = shape >> 2 & 3, .ring_size = 16384, .thread_size = 16384,
		.registry_size = REGISTRY, .id_nr = KTRACE_ID_NR, .filter_size = 2048,
		.slot_nr = slots ? 1u << (slots & 3) : 0, .slot_size = 64 << (slots >> 2 & 3),
	};
	REQUIRE(!layout_compute(&w.control));
	w.size = (size_t)w.control.map_size;
	for (n = shape >> 4; n; n--) {
		off = (size_t)input_number(&w.in, 1) * 4 % sizeof(w.control);
		*(__u32 *)((char *)&w.control + off) = (__u32)input_any(&w.in);
	}
	w.map = mmap(NULL, w.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(w.map != MAP_FAILED);
	memcpy(w.map, &w.control, sizeof(w.control));
	return !channel_take(&w.ch, w.map, w.size);
}

/* Everything that a checked geometry leads to lies in the mapping, aligned. */
static void check_geometry(void)
{
	__u32 i;

	for (i = 0; i < w.ch.control.ring_nr; i++) {
		const struct kt_ring *r = &w.ch.readers[i].ring;

		REQUIRE((char *)r->w >= w.map && !((uintptr_t)r->w & 7));
		REQUIRE((char *)(r->w + 1) <= r->data && r->data + r->size <= w.map + w.size);
		REQUIRE((char *)r->tail >= w.map && (char *)(r->tail + 1) <= w.map + w.size);
		REQUIRE(kt_ring_geometry_ok(r->size, r->block_size));
	}
	channel_dead_owners(&w.ch);
	channel_free_dead(&w.ch, w.map);
}

static void fill_registry(void)
{
	struct input *in = &w.in;
	size_t n = (size_t)input_number(in, 2), left = input_left(in);
	__u64 at = sizeof(struct ktrace_registry), size;
	struct ktrace_entry e;
	unsigned int lie;

	n = n < left ? n : left;
	if (n > w.registry.size)
		n = (size_t)w.registry.size;
	/* Raw, or entries that fit each other. */
	if (input_number(in, 1) & 1) {
		memcpy((char *)w.registry.base, in->at, n < input_left(in) ? n : input_left(in));
		return;
	}
	for (; input_left(in) > 8 && at + 64 < w.registry.size; at += size) {
		size = (sizeof(e) + 8 + (input_number(in, 1) & 0x78)) & ~7ull;
		if (at + size > w.registry.size)
			return;
		e = (struct ktrace_entry){
			.word = (__u32)size | (__u32)input_number(in, 1) << 30 | KTRACE_ENTRY_READY,
			.type = (__u16)input_number(in, 1) & 3, .id = (__u16)input_any(in),
			.pid = (__u32)input_any(in), .tid = (__u32)input_any(in),
			.ts = input_any(in),
		};
		lie = (unsigned int)input_number(in, 1);
		if (lie & 1)
			e.word = (e.word & ~KTRACE_ENTRY_READY) | KTRACE_ENTRY_BUSY;
		/* Around the end of the registry. */
		if ((lie & 0xe) == 0xe)
			e.word = KTRACE_ENTRY_READY |
				 ((__u32)(w.registry.size - at + (lie & 0x70) - 64) &
				  KTRACE_ENTRY_SIZE_MASK);
		memcpy((char *)w.registry.base + at, &e, sizeof(e));
		n = (size_t)size - sizeof(e);
		n = n < input_left(in) ? n : input_left(in);
		memcpy((char *)w.registry.base + at + sizeof(e), in->at, n);
		in->at += n;
	}
}

/* Sets the words of some slots: what writers leave there in order, or anything. */
static void fill_slots(void)
{
	const struct slots *s = &w.registry.slots;

	for (__u64 i = 0; i < s->nr && i < 16; i++) {
		const __u64 kind = input_number(&w.in, 1);
		struct ktrace_slot slot = {
			.word = kind & 0x80 ? input_any(&w.in) :
					      KTRACE_SLOT_WORD(s->next + i, kind & 3),
			.entry = { .type = (__u16)(kind >> 2 & 7), .id = (__u16)input_any(&w.in),
				   .pid = (__u32)input_any(&w.in) },
		};

		memcpy(s->base + i * s->size, &slot, sizeof(slot));
		memset(s->base + i * s->size + sizeof(slot), (int)kind, s->size - sizeof(slot));
	}
}

/* What was returned is saved; a writer may have been slow for long. */
static void save(void)
{
	struct slots *s = &w.registry.slots;

	if (s->oldest_ns && input_number(&w.in, 1) & 1)
		s->oldest_ns = 1;
	REQUIRE(registry_unfinished(&w.registry) <= s->nr + s->dead + REGISTRY_PENDING);
	registry_slots_free(s);
	REQUIRE(s->freed <= s->next && s->next - s->freed <= s->nr);
	w.room += s->nr;
}

static void complain(void *arg, const char *path, __u64 offset, const char *message)
{
	(void)arg;
	(void)path;
	(void)offset;
	(void)message;
}

/* The line of an entry, as a viewer reads it. */
static void check_line(const struct ktrace_entry_copy *entry)
{
	struct ktrace_text text = { 0 };
	struct trace *t = calloc(1, sizeof(*t));
	const struct ktrace_event_type *type;
	const struct name *n;
	__u32 tid = entry->type == KTRACE_ENTRY_PROCESS ? entry->pid : entry->tid;

	REQUIRE(t);
	meta_entry(&text, entry);
	REQUIRE(!text.error && !strchr(text.buf, '\n'));
	t->parts = calloc(1, sizeof(*t->parts));
	REQUIRE(t->parts);
	t->part_nr = 1;
	t->parts->fd = -1;
	t->parts->report = complain;
	ktrace_meta_parse(t, 0, text.buf, text.len);
	if (entry->type == KTRACE_ENTRY_EVENT) {
		type = type_of(&t->types[KTRACE_CHANNEL_USER], entry->id);
		REQUIRE(!t->names.used && (!type || type->id == entry->id));
		REQUIRE(!type || !strncmp(type->full_name, entry->text, strlen(type->full_name)));
	} else if (entry->type == KTRACE_ENTRY_MAP) {
		REQUIRE(!t->names.used && t->maps.nr <= 1);
	} else if (entry->type == KTRACE_ENTRY_IDS) {
		REQUIRE(!t->names.used && t->ids_nr <= 1);
	} else if (tid <= KTRACE_TID_MASK) {
		n = ktrace_names_find(&t->names, tid, entry->ts);
		REQUIRE(t->names.used == 1 && n && n->raw == entry->ts);
		REQUIRE(n->pid == (entry->pid <= KTRACE_TID_MASK ? entry->pid : 0));
	}
	REQUIRE(!t->stream_nr && !t->fact_nr && !t->clock.nr);
	ktrace_trace_free(t);
	ktrace_text_free(&text);
}

static void check_entry(const struct ktrace_entry_copy *entry)
{
	REQUIRE(strnlen(entry->text, sizeof(entry->text)) < sizeof(entry->text));
	REQUIRE(entry->type >= KTRACE_ENTRY_EVENT && entry->type <= KTRACE_ENTRY_IDS);
	REQUIRE(entry->type != KTRACE_ENTRY_EVENT ||
		(entry->id >= KTRACE_ID_FIRST && entry->id < KTRACE_ID_ALL));
	/* Each takes at least its header and one word of text. */
	REQUIRE(++w.entries <= w.registry.size / (sizeof(struct ktrace_entry) + 8) + w.room);
	check_line(entry);
}

static int next_entry(struct ktrace_entry_copy *entry)
{
	size_t before = (size_t)(w.registry.base - w.map);
	size_t behind = before + (size_t)w.registry.size;
	int ret;

	const struct slots *slots = &w.registry.slots;

	ASAN_POISON_MEMORY_REGION(w.map, before);
	ASAN_POISON_MEMORY_REGION(w.map + behind, w.size - behind);
	if (slots->nr)
		ASAN_UNPOISON_MEMORY_REGION(slots->base, (size_t)slots->nr * slots->size);
	ret = registry_next(&w.registry, entry);
	ASAN_UNPOISON_MEMORY_REGION(w.map, w.size);
	return ret;
}

static void change_word(void)
{
	const size_t at = (size_t)input_number(&w.in, 2);
	size_t off = at * 4 % (size_t)(w.registry.size - 3) & ~3ul;
	__u32 value = (__u32)input_number(&w.in, 4);
	const struct slots *s = &w.registry.slots;
	struct ktrace_slot *slot;

	if (s->nr && at & 0x8000) {
		slot = (struct ktrace_slot *)(s->base + (at & (s->nr - 1)) * s->size);
		slot->word = at & 0x4000 ? value : KTRACE_SLOT_WORD(slot->word >> 2, value & 3);
		return;
	}
	memcpy((char *)w.registry.base + off, &value, sizeof(value));
}

static void read_registry(void)
{
	static struct ktrace_entry_copy entry;
	__u32 calls, i;
	int ret;

	for (calls = 0; calls < 4096; calls++) {
		ret = next_entry(&entry);
		REQUIRE(ret == 0 || ret == 1 || ret == -EBADMSG || ret == -EAGAIN);
		if (ret == 1)
			check_entry(&entry);
		REQUIRE(ret != -EBADMSG || w.registry.is_damaged || w.registry.slots.is_damaged);
		if (!ret && w.registry.slots.nr)
			save();
		if (ret != 1 && ret != -EAGAIN && !input_left(&w.in))
			break;
		/* Others write on. */
		for (i = (__u32)input_number(&w.in, 1) & 3; i; i--)
			change_word();
	}
	while (w.registry.pid_nr)
		registry_forget(&w.registry, w.registry.pid_nr - 1);
	for (i = 0; w.registry.known && i < PID_NR / 8; i += 4096)
		REQUIRE(!w.registry.known[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memset(&w, 0, sizeof(w));
	w.in = (struct input){ data, data + size };
	if (!make_channel()) {
		munmap(w.map, w.size);
		return 0;
	}
	check_geometry();
	REQUIRE(!registry_init(&w.registry, &w.ch));
	if (w.registry.base) {
		w.room = w.registry.slots.nr;
		fill_slots();
		fill_registry();
		read_registry();
	}
	registry_exit(&w.registry);
	channel_exit(&w.ch);
	return 0;
}
