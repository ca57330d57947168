// SPDX-License-Identifier: GPL-2.0
/*
 * test_writer.c - what libktrace makes of hostile shared memory
 *
 * A control page is accepted only if all it leads to lies in the mapping; random bytes in
 * the registry are never left (AddressSanitizer watches), nor is it walked for ever; the
 * filter matches as fnmatch(3) does.
 */
#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/writer/channel.c"
#include "../../userspace/lib/base/glob_list.c"
#include "../../userspace/lib/writer/registry.c"

#define MAP_SIZE (4u << 20)

static struct channel the_channel, *const channel = &the_channel;
static __u64 *given_up;

/* Called in the middle of filling an entry. */
__u32 thread_pid(void)
{
	if (given_up)
		*given_up |= KTRACE_SLOT_DEAD;
	given_up = NULL;
	return 1;
}

static __u64 random_state = 1;

static __u32 next_random(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (__u32)(random_state >> 33);
}

static struct ktrace_control good_control(void)
{
	return (struct ktrace_control){
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(struct ktrace_control), .kind = KTRACE_CHANNEL_USER,
		.map_size = MAP_SIZE, .ring_nr = 6, .cpu_nr = 4, .block_size = 4096,
		.ring_size = 65536, .ring_stride = 65536 + 4096, .rings_off = 65536,
		.thread_size = 16384, .thread_stride = 16384 + 4096, .threads_off = 1 << 20,
		.registry_off = 16384, .registry_size = 32768, .tail_off = 12288,
		.data_off = 4096, .enable_off = 1024, .id_nr = KTRACE_ID_NR,
		.filter_off = 10240, .filter_size = 2048,
		.slots_off = 49152, .slot_nr = 8, .slot_size = KTRACE_SLOT_SIZE,
	};
}

/* Every byte that a writer could touch. */
static void assert_inside(const struct ktrace_control *c, char *map)
{
	struct kt_ring r;
	__u32 i;

	channel_init(channel, map, c, true);
	assert(channel->enable + channel->id_all <= (__u8 *)channel->registry);
	assert(!channel->slot_nr ||
	       (channel->slots >= (char *)channel->registry &&
		channel->slots + (__u64)channel->slot_nr * channel->slot_size <= map + MAP_SIZE));
	assert(channel->filter + channel->filter_size <= (char *)channel->registry);
	assert((char *)channel->registry + channel->registry_size <= map + MAP_SIZE);
	for (i = 0; i < c->ring_nr; i++) {
		if (i < c->cpu_nr)
			channel_cpu_ring(channel, i, &r);
		else
			channel_thread_ring(channel, i - c->cpu_nr, &r);
		assert((char *)r.w >= (char *)channel->registry + channel->registry_size);
		assert((char *)(r.w + 1) <= r.data);
		assert(r.data + r.size <= map + MAP_SIZE);
		assert((char *)r.tail >= map + sizeof(*c));
		assert((char *)(r.tail + 1) <= (char *)channel->registry);
		assert(r.index == i);
	}
}

/* One or two words of a good control page replaced by numbers that make trouble. */
static void test_control(char *map)
{
	const __u64 odd[] = { 0, 1, 7, 8, 64, 4095, 4096, 4097, 65536, MAP_SIZE, 1ull << 31,
			      1ull << 32, 1ull << 43, 1ull << 63, ~0ull, ~0ull - 4095 };
	struct ktrace_control c = good_control();
	unsigned int i, k, accepted = 0;
	__u64 value;

	assert(!channel_check(&c, MAP_SIZE));
	assert_inside(&c, map);
	assert(channel_check(&c, MAP_SIZE - 1));
	/* That of a later version is longer, and its areas lie elsewhere. */
	c.size += 512;
	c.enable_off += 256;
	c.tail_off += 64;
	assert(!channel_check(&c, MAP_SIZE));
	assert_inside(&c, map);
	for (i = 0; i < 2000000; i++) {
		c = good_control();
		for (k = 0; k < 1 + i % 2; k++) {
			value = odd[next_random() % (sizeof(odd) / sizeof(odd[0]))];
			if (next_random() % 4 == 0)
				value = next_random();
			memcpy((char *)&c + next_random() % 45 * 4, &value,
			       next_random() % 2 ? 4 : 8);
		}
		if (channel_check(&c, MAP_SIZE))
			continue;
		accepted++;
		assert_inside(&c, map);
	}
	assert(accepted > 1000);
}

static void add_name(const char *text)
{
	registry_add(channel, KTRACE_ENTRY_THREAD, 1, text, 0, REGISTRY_ALL);
}

static __u64 *slot_word(char *map, __u32 index)
{
	return (__u64 *)(map + good_control().slots_off + index * KTRACE_SLOT_SIZE);
}

/* A channel whose list has as much as there are slots; the first slot is in use. */
static char *map_with_slots(void)
{
	struct ktrace_control c = good_control();
	char *map = calloc(1, c.map_size);

	channel_init(channel, map, &c, true);
	for (__u32 i = 0; i < 8; i++)
		*slot_word(map, i) = KTRACE_SLOT_WORD(i, KTRACE_SLOT_FREE);
	while (!channel->registry->slot_next)
		add_name("comm=somebody");
	return map;
}

/* The owner gives up the slot while the entry is made: it gets another one, and that is counted. */
static void test_slot_given_up(void)
{
	char *map = map_with_slots();

	given_up = slot_word(map, 1);
	add_name("comm=late");
	assert(*slot_word(map, 1) == KTRACE_SLOT_WORD(1, KTRACE_SLOT_DEAD));
	assert(*slot_word(map, 2) == KTRACE_SLOT_WORD(2, KTRACE_SLOT_READY));
	assert(!strcmp((char *)slot_word(map, 2) + 32, "comm=late"));
	assert(channel->registry->slot_late == 1 && !channel->registry->full);
	free(map);
}

/* Whoever adopts the session finds the process that cannot leave it, whenever that was added. */
static void test_process_that_cannot_leave(void)
{
	char *map = map_with_slots();
	const __u32 hint = channel->registry->hint;

	channel->leaves = true;
	registry_add(channel, KTRACE_ENTRY_PROCESS, 1, "comm=leaves", 0, REGISTRY_ALL);
	assert(channel->registry->slot_next == 2 && channel->registry->hint == hint);
	channel->leaves = false;
	registry_add(channel, KTRACE_ENTRY_PROCESS, 1, "comm=stays", 0, REGISTRY_ALL);
	assert(channel->registry->slot_next == 2 && channel->registry->hint > hint);
	assert(!strcmp((char *)channel->registry + channel->registry->hint +
		       sizeof(struct ktrace_entry), "comm=stays"));
	free(map);
}

/* An owner that claims to have billions of slots cannot keep a writer busy with them. */
static void test_too_many_slots(void)
{
	struct ktrace_control c = good_control();

	c.map_size = 1ull << 43;
	c.slot_nr = KTRACE_SLOT_NR_MAX;
	assert(has_slots(&c));
	c.slot_nr *= 2;
	assert(!has_slots(&c));
}

/* Once the list has as much as there are slots, entries go to slots, as long as these are free. */
static void test_slots(void)
{
	char *map = map_with_slots();
	struct ktrace_registry *r = channel->registry;
	const char *slots = (char *)slot_word(map, 0);
	__u32 hint = r->hint, i;
	char longer[500];

	assert(hint > 3000 && hint < 4096 && !strcmp(slots + 32, "comm=somebody"));
	for (i = 1; i < 8; i++)
		add_name("comm=other");
	assert(r->slot_next == 8 && r->hint == hint && !r->full);
	assert(!strcmp(slots + 7 * 512 + 32, "comm=other"));
	assert(((const struct ktrace_slot *)slots)->word == KTRACE_SLOT_READY);
	/* No slot is free: the list has room. */
	add_name("comm=listed");
	assert(r->slot_next == 8 && r->hint > hint && !r->full);
	/* The owner has freed one, given up the next, and freed the one after that. */
	*slot_word(map, 0) = KTRACE_SLOT_WORD(8, KTRACE_SLOT_FREE);
	*slot_word(map, 1) = KTRACE_SLOT_DEAD;
	*slot_word(map, 2) = KTRACE_SLOT_WORD(10, KTRACE_SLOT_FREE);
	hint = r->hint;
	add_name("comm=again");
	add_name("comm=third");
	assert(r->slot_next == 11 && r->hint == hint && !strcmp(slots + 32, "comm=again"));
	assert(!strcmp(slots + 1024 + 32, "comm=third"));
	/* Too long for a slot. */
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	add_name(longer);
	assert(r->slot_next == 11 && r->hint > hint && !r->full);
	free(map);
}

static void test_registry(void)
{
	struct ktrace_control c = good_control();
	char *map = calloc(1, c.map_size);
	struct ktrace_registry *r = (struct ktrace_registry *)(map + c.registry_off);
	unsigned int round, i;
	__u16 id;

	memset(map + c.enable_off, 1, c.id_nr);
	channel_init(channel, map, &c, true);
	r->next_on = KTRACE_ID_FIRST;
	r->next_off = KTRACE_ID_OFF;
	id = registry_event(channel, "a:b{u8 c;}@x:1");
	assert(id == KTRACE_ID_FIRST);
	assert(registry_event(channel, "a:b{u8 c;}@x:1") == id);
	assert(registry_event(channel, "a:b{u8 c;}@x:2") == id + 1);
	for (i = 0; i < 2000; i++)
		registry_add(channel, KTRACE_ENTRY_THREAD, 1, "comm=somebody", 0, REGISTRY_ALL);
	assert(r->full > 0);
	assert(registry_event(channel, "a:b{u8 c;}@x:1") == id);
	assert(!registry_event(channel, "a:new{}"));
	for (round = 0; round < 3000; round++) {
		for (i = 0; i < 1 + round % 200; i++) {
			__u32 *word = (__u32 *)r + next_random() % (c.registry_size / 4);

			*word = next_random() % 3 ? next_random() % 256 * 8 | KTRACE_ENTRY_READY :
				next_random();
		}
		registry_add(channel, KTRACE_ENTRY_PROCESS, 1, "comm=x", 0, REGISTRY_ALL);
		id = registry_event(channel, "a:b{u8 c;}@x:1");
		assert(!id || (id >= KTRACE_ID_FIRST && id < c.id_nr));
	}
	free(map);
}

/* A program whose events another one has registered looks for each one after the last. */
static void test_registry_order(void)
{
	static const char *const desc[] = { "a:1{}", "a:2{}", "a:3{}", "a:4{}" };
	struct ktrace_control c = good_control();
	char *map = calloc(1, c.map_size);
	struct ktrace_registry *r = (struct ktrace_registry *)(map + c.registry_off);
	__u32 *first = (__u32 *)(r + 1);
	const __u32 word = KTRACE_ENTRY_READY | 0x7fff8;	/* longer than the registry */
	__u32 good;
	int i;

	memset(map + c.enable_off, 1, c.id_nr);
	r->next_on = KTRACE_ID_FIRST;
	r->next_off = KTRACE_ID_OFF;
	channel_init(channel, map, &c, true);
	for (i = 0; i < 4; i++) {
		assert(registry_event(channel, desc[i]) == KTRACE_ID_FIRST + i);
		registry_add(channel, KTRACE_ENTRY_THREAD, 1, "comm=x", 0, REGISTRY_ALL);
	}
	channel_init(channel, map, &c, true);
	for (i = 3; i >= 0; i--)
		assert(registry_event(channel, desc[i]) == KTRACE_ID_FIRST + i);
	/* Not from the beginning: a search that begins there ends there now. */
	good = *first;
	*first = word;
	assert(registry_event(channel, desc[1]) == KTRACE_ID_FIRST + 1);
	assert(registry_event(channel, desc[3]) == KTRACE_ID_FIRST + 3);
	assert(!registry_event(channel, desc[2]) && r->full == 1);
	*first = good;
	assert(registry_event(channel, desc[2]) == KTRACE_ID_FIRST + 2);
	free(map);
}

/* Patterns of few characters, so that they match often; a byte behind the list is poison. */
static void test_glob(void)
{
	const char alphabet[] = "ab*?[]-!:";
	char *pattern, name[9];
	unsigned int i, k, len, matched = 0;
	bool is_match;

	for (i = 0; i < 300000; i++) {
		len = next_random() % 8;
		pattern = malloc(len + 1);
		for (k = 0; k < len; k++)
			pattern[k] = alphabet[next_random() % (sizeof(alphabet) - 1)];
		pattern[len] = '\0';
		for (k = 0; k < next_random() % 8; k++)
			name[k] = "ab:"[next_random() % 3];
		name[k] = '\0';
		is_match = glob_list_matches(pattern, len, name, k);
		matched += is_match;
		/* fnmatch(3) has classes with names; of no pattern at all, all is wanted. */
		if (len && !strstr(pattern, "[:"))
			assert(is_match == !fnmatch(pattern, name, 0));
		free(pattern);
	}
	assert(matched > 1000);
	assert(glob_list_matches("x,[a-c]*:?,y", 12, "b:z", 3));
	assert(!glob_list_matches("x,[!a-c]*:?,y", 13, "b:z", 3));
	assert(glob_list_matches("[]]", 3, "]", 1));
	assert(glob_list_matches("", 1, "anything", 8));
	assert(!glob_list_matches("a,b", 3, "c", 1));
}

/* However many entries were claimed by writers that never finish: one wait for all. */
static void test_unfinished_entries(char *map)
{
	const __u64 size = entry_size("a:b{}");
	struct ktrace_control c = good_control();
	int spins = 100;
	__u64 off;
	__u16 id;

	memset(map, 0, MAP_SIZE);
	channel_init(channel, map, &c, true);
	for (off = sizeof(struct ktrace_registry); has_room(channel, off, size); off += size)
		entry_at(channel, off)->word = KTRACE_ENTRY_BUSY | (__u32)size;
	off = sizeof(struct ktrace_registry);
	assert(!is_same(channel, off, (__u16)size, "a:b{}", &spins, &id) && !spins);
	assert(!is_same(channel, off + size, (__u16)size, "a:b{}", &spins, &id) && !spins);
	assert(!registry_event(channel, "a:b{}"));
	assert(channel->registry->full == 1);
}

int main(void)
{
	char *map = malloc(MAP_SIZE);

	test_control(map);
	test_slots();
	test_slot_given_up();
	test_process_that_cannot_leave();
	test_too_many_slots();
	test_registry();
	test_registry_order();
	test_glob();
	test_unfinished_entries(map);
	free(map);
	puts("ok");
	return 0;
}
