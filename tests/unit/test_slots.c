// SPDX-License-Identifier: GPL-2.0
/*
 * test_slots.c - slots of the registry, with writers that are slow, and are killed anywhere
 *
 * Processes add entries that describe themselves, while the owner reads, saves, gives slots up and
 * kills processes, all at random. Each entry that it gets is whole and comes once; all that were
 * added come, or are counted.
 */
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../userspace/lib/session/internal.h"

#define channel writer_channel
#include "../../userspace/lib/base/glob_list.c"
#include "../../userspace/lib/writer/channel.c"
#include "../../userspace/lib/writer/registry.c"
#undef channel

#define MAP_SIZE (1u << 20)
#define SLOTS 256
#define WRITERS 4
#define PROCESSES 120
#define ENTRIES 4000u
#define NAP_US 300

/**
 * struct shared - what all processes see
 * @begun:	for each process, how many entries it has begun to add
 * @done:	how many it has added
 * @is_over:	stop
 */
static struct shared {
	__u32 begun[PROCESSES];
	__u32 done[PROCESSES];
	__u32 is_over;
} *shared;

static struct writer_channel writer;
static struct registry registry;
static bool has_come[PROCESSES][ENTRIES];
static __u32 come, killed;
static char *map;

/* In the middle of each entry: here writers are slow, and are killed. */
__u32 thread_pid(void)
{
	const int which = rand() % 64;

	if (!which)
		usleep(NAP_US);
	else if (which < 16)
		sched_yield();
	return 1;
}

static void make(void)
{
	const struct ktrace_control c = {
		.magic = KTRACE_CONTROL_MAGIC, .version = KTRACE_ABI_VERSION,
		.size = sizeof(c), .kind = KTRACE_CHANNEL_USER, .map_size = MAP_SIZE,
		.ring_nr = 1, .cpu_nr = 1, .block_size = 4096, .ring_size = 65536,
		.ring_stride = 65536 + 4096, .rings_off = 1 << 19, .data_off = 4096,
		.registry_off = 16384, .registry_size = 32768, .tail_off = 12288,
		.enable_off = 1024, .id_nr = KTRACE_ID_NR, .filter_off = 10240, .filter_size = 2048,
		.slots_off = 65536, .slot_nr = SLOTS, .slot_size = 128,
	};
	struct channel owner = { .map_size = MAP_SIZE, .control = c };

	map = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	assert(map != MAP_FAILED && shared != MAP_FAILED);
	memcpy(map, &c, sizeof(c));
	registry_slots_fill(map, &c);
	assert(!channel_check(&c, MAP_SIZE));
	channel_init(&writer, map, &c, true);
	owner.map = map;
	assert(!registry_init(&registry, &owner) && registry.slots.nr == SLOTS);
}

/* Both numbers, and bytes that depend on them, up to a length that does */
static void describe(char *text, __u32 process, __u32 n)
{
	const size_t len = (process * 7 + n * 13) % 60;
	char fill[64] = "";

	memset(fill, 'a' + (process + n) % 26, len);
	sprintf(text, "comm=%u.%u.%s", process, n, fill);
}

static void write_entries(__u32 process)
{
	__u32 full = 0;
	char text[128];

	srand(process + 1);
	for (__u32 n = 0; n < ENTRIES && !kt_load(&shared->is_over); n++) {
		describe(text, process, n);
		kt_store_release(&shared->begun[process], n + 1);
		registry_add(&writer, KTRACE_ENTRY_THREAD, process, text, 1, REGISTRY_ALL);
		kt_store_release(&shared->done[process], n + 1);
		if (kt_load(&writer.registry->full) != full)
			usleep(NAP_US);
		full = kt_load(&writer.registry->full);
	}
	_exit(0);
}

static pid_t start(__u32 process)
{
	const pid_t pid = fork();

	assert(pid >= 0);
	if (!pid)
		write_entries(process);
	return pid;
}

static void check_entry(const struct ktrace_entry_copy *e)
{
	char text[128];
	__u32 process, n;

	assert(sscanf(e->text, "comm=%u.%u.", &process, &n) == 2);
	assert(process < PROCESSES && n < ENTRIES && e->tid == process && e->ts == 1);
	describe(text, process, n);
	assert(!strcmp(e->text, text) && !has_come[process][n]);
	has_come[process][n] = true;
	come++;
}

static void read_some(int most)
{
	static struct ktrace_entry_copy e;
	int ret = 1;

	while (most-- && ret) {
		ret = registry_next(&registry, &e);
		assert(ret == 1 || ret == -EAGAIN || !ret);
		if (ret == 1)
			check_entry(&e);
	}
}

/* Gives up the oldest slot that is busy, now and then: its writer may be dead, or slow. */
static void save(void)
{
	if (registry.slots.oldest_ns && rand() % 512 == 0)
		registry.slots.oldest_ns = 1;
	registry_slots_free(&registry.slots);
}

/* Replaces a writer that has ended or is killed; returns false if there were enough. */
static bool replace(pid_t *pid, __u32 *next)
{
	int status;

	if (*next == PROCESSES)
		return false;
	kill(*pid, SIGKILL);
	assert(waitpid(*pid, &status, 0) == *pid);
	killed += WIFSIGNALED(status);
	*pid = start((*next)++);
	return true;
}

int main(void)
{
	pid_t pids[WRITERS];
	__u32 next = 0, begun = 0, done = 0, full;
	bool is_going = true;

	make();
	while (next < WRITERS) {
		pids[next] = start(next);
		next++;
	}
	for (unsigned int i = 0; is_going; i++) {
		read_some(rand() % 40);
		if (rand() % 2)
			save();
		if (rand() % 64 == 0)
			usleep(NAP_US);
		if (i % 256 == 255)
			is_going = replace(&pids[rand() % WRITERS], &next);
	}
	kt_store(&shared->is_over, 1);
	for (int i = 0; i < WRITERS; i++)
		assert(waitpid(pids[i], NULL, 0) == pids[i]);
	read_some(-1);
	for (__u32 i = 0; i < PROCESSES; i++) {
		begun += shared->begun[i];
		done += shared->done[i];
	}
	full = writer.registry->full;
	printf("slots: %u entries, %u without room, %u writers killed, %u unfinished, %u late\n",
	       come, full, killed, registry_unfinished(&registry), writer.registry->slot_late);
	assert(come + full >= done && come + full <= begun);
	assert(registry_unfinished(&registry) <= killed);
	assert(registry.slots.next > 10 * SLOTS && killed > PROCESSES / 2);
	registry_exit(&registry);
	return 0;
}
