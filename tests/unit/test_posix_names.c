// SPDX-License-Identifier: GPL-2.0
/* test_posix_names.c - names of event types on a registry that many processes share */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

static int count_yield(void);
static int count_kill(pid_t pid, int sig);
bool is_behind_filter(void);
#define sched_yield count_yield
#define kill count_kill
#define ktrace_channel_is_confined is_behind_filter
#include "../../userspace/lib/posix/registry/names.c"
#undef sched_yield
#undef kill
#undef ktrace_channel_is_confined

#include "check.h"
/* valgrind looks for signals. */
#define FILTER_ALLOWS_MORE ALLOW(rt_sigtimedwait),
#include "../progs/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PROCESSES 8
#define NAMES 300u

static int yields, kills;
static bool has_filter;

/* How often somebody was waited for */
static int count_yield(void)
{
	yields++;
	return sched_yield();
}

static int count_kill(pid_t pid, int sig)
{
	kills++;
	return kill(pid, sig);
}

bool is_behind_filter(void)
{
	return has_filter;
}

static struct posix_registry *registry;
static const unsigned long long no_streams;
const volatile unsigned long long *ktrace_posix_streams = &no_streams;

/* This process, as member.c would have made it. */
struct posix_member ktrace_posix_member = {
	.opened = { 1ull << POSIX_ID_USER },
};

struct posix_registry *ktrace_posix_registry(void)
{
	return ktrace_posix_member.registry;
}

static void new_registry(void)
{
	if (registry)
		munmap(registry, sizeof(*registry));
	registry = mmap(NULL, sizeof(*registry), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	CHECK(registry != MAP_FAILED);
	ktrace_posix_member = (struct posix_member){
		.registry = registry, .process = &registry->process[0],
		.opened = { 1ull << POSIX_ID_USER }, .owner.pid = getpid(),
	};
	ktrace_posix_streams = &registry->process[0].streams;
	registry->process[0].pid = getpid();
}

static trace_event_id_t open_number(__u32 n, bool may_add)
{
	char name[32];

	snprintf(name, sizeof(name), "name %u", n);
	return ktrace_posix_name_open(registry, name, may_add);
}

static void test_open(void)
{
	char name[TRACE_EVENT_NAME_MAX + 1], back[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t empty, longest;

	new_registry();
	CHECK_EQ(ktrace_posix_name_open(registry, "a", false), 0);
	empty = ktrace_posix_name_open(registry, "", true);
	memset(name, 'n', TRACE_EVENT_NAME_MAX);
	name[TRACE_EVENT_NAME_MAX] = '\0';
	longest = ktrace_posix_name_open(registry, name, true);
	CHECK(empty > POSIX_ID_USER && longest > POSIX_ID_USER && empty != longest);
	CHECK_EQ(ktrace_posix_name_open(registry, "", false), empty);
	CHECK_EQ(ktrace_posix_name_open(registry, name, false), longest);
	CHECK(ktrace_posix_name_get(registry, longest, back));
	CHECK_STR(back, name);
	CHECK(!ktrace_posix_name_get(registry, longest + 1, back));
	CHECK(!ktrace_posix_name_get(registry, POSIX_ID_USER, back));
	CHECK(!ktrace_posix_name_get(registry, 0, back));
	CHECK(!ktrace_posix_name_get(registry, ~0u, back));
}

/* The same names in another order in each process: one id each. */
static void test_processes(void)
{
	trace_event_id_t (*ids)[NAMES];
	int status;

	new_registry();
	ids = mmap(NULL, PROCESSES * sizeof(*ids), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(ids != MAP_FAILED);
	for (__u32 p = 0; p < PROCESSES; p++)
		if (!fork()) {
			for (__u32 i = 0; i < NAMES; i++) {
				__u32 n = (i * (2 * p + 1) + p * 37) % NAMES;

				/* 300 is no multiple of these: all names come. */
				if ((2 * p + 1) % 3 == 0 || (2 * p + 1) % 5 == 0)
					n = (i + p * 37) % NAMES;
				ids[p][n] = open_number(n, true);
			}
			_exit(0);
		}
	for (int p = 0; p < PROCESSES; p++)
		CHECK(wait(&status) > 0 && status == 0);
	for (__u32 n = 0; n < NAMES; n++) {
		CHECK(ids[0][n] > POSIX_ID_USER && ids[0][n] <= POSIX_ID_USER + NAMES);
		for (int p = 1; p < PROCESSES; p++)
			CHECK_EQ(ids[p][n], ids[0][n]);
		for (__u32 other = 0; other < n; other++)
			CHECK(ids[0][n] != ids[0][other]);
	}
	munmap(ids, PROCESSES * sizeof(*ids));
}

/* A process that died while it filled a place in does not keep it. */
static void test_dead_claimer(void)
{
	pid_t pid;

	new_registry();
	CHECK(open_number(0, true));
	pid = fork();
	if (!pid)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	registry->name[2].state = (__u32)pid << POSIX_PLACE_SHIFT | POSIX_PLACE_CLAIMED;
	strcpy(registry->name[2].text, "hal");
	CHECK_EQ(open_number(1, false), 0);
	CHECK_EQ(open_number(1, true), POSIX_ID_USER + 2);
	CHECK_EQ(open_number(1, false), POSIX_ID_USER + 2);
}

/* One that was stopped while it filled a place in loses it: its name has one id. */
static void test_stopped_claimer(void)
{
	trace_event_id_t id;
	int status;
	pid_t pid;

	new_registry();
	pid = fork();
	if (!pid) {
		CHECK(change(&registry->name[1], 0, my_claim()));
		raise(SIGSTOP);
		CHECK(!fill_in(&registry->name[1], "name 1"));
		_exit(open_number(1, true) == POSIX_ID_USER + 2 ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, NULL, WUNTRACED), pid);
	CHECK_EQ(open_number(1, false), 0);
	CHECK_EQ(open_number(1, true), POSIX_ID_USER + 2);
	CHECK(!kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	/* Nor has another name that place when it is gone. */
	id = open_number(2, true);
	CHECK_EQ(id, POSIX_ID_USER + 3);
	CHECK_EQ(open_number(1, true), POSIX_ID_USER + 2);
}

/* Behind a filter that kills for it no CPU is given up, and nobody asked whether he lives. */
static void test_confined(pid_t claimer)
{
	int status;
	pid_t pid;

	new_registry();
	registry->name[1].state = (__u32)claimer << POSIX_PLACE_SHIFT | POSIX_PLACE_CLAIMED;
	pid = fork();
	if (!pid) {
		has_filter = true;
		/* Not _exit(), before which ASan makes calls of its own */
		syscall(SYS_exit_group, install_filter() ? 2 :
			open_number(1, true) != POSIX_ID_USER + 2 ||
			open_number(1, false) != POSIX_ID_USER + 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(posix_place_state(registry->name[1].state), POSIX_PLACE_CLOSING);
}

static void test_confined_claimers(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	/* qemu-user has no filters of system calls: tests/emulated */
	if (!getenv("KTRACE_EMULATED")) {
		test_confined(pid);
		test_confined(getppid());
	}
}

/* All places are being filled in by one who never does: they cost no more than one of them. */
static void test_claimed_registry(void)
{
	const __u32 claim = (__u32)getppid() << POSIX_PLACE_SHIFT | POSIX_PLACE_CLAIMED;

	for (int may_add = 0; may_add < 2; may_add++) {
		new_registry();
		for (__u32 i = 1; i < POSIX_NAME_NR; i++)
			registry->name[i].state = claim;
		yields = 0;
		CHECK_EQ(open_number(1, may_add), 0);
		CHECK_EQ(yields, LOOKS);
	}
	/* Behind a filter neither. */
	yields = kills = 0;
	has_filter = true;
	CHECK_EQ(open_number(1, true), 0);
	has_filter = false;
	CHECK_EQ(yields + kills, 0);
	/* One more is given to who asks when there is a place. */
	registry->name[POSIX_NAME_NR - 1].state = 0;
	CHECK_EQ(open_number(1, true), POSIX_ID_USER + POSIX_NAME_NR - 1);
}

static void test_full_registry(void)
{
	new_registry();
	for (__u32 n = 1; n < POSIX_NAME_NR; n++)
		CHECK_EQ(open_number(n, true), POSIX_ID_USER + n);
	CHECK_EQ(open_number(0, true), 0);
	CHECK_EQ(open_number(17, true), POSIX_ID_USER + 17);
}

/* What others wrote there does no harm. */
static void test_spoilt_registry(void)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	new_registry();
	memset(registry->name, 0x56, sizeof(registry->name));
	CHECK_EQ(open_number(0, true), 0);
	for (__u32 i = 0; i < POSIX_NAME_NR; i++)
		registry->name[i].state = POSIX_PLACE_READY;
	CHECK_EQ(open_number(0, true), 0);
	CHECK(ktrace_posix_name_get(registry, POSIX_ID_NR - 1, name));
	CHECK_EQ(strlen(name), TRACE_EVENT_NAME_MAX);
}

static void test_limit_of_a_program(void)
{
	trace_event_id_t id, known;
	char name[TRACE_EVENT_NAME_MAX + 2];

	new_registry();
	for (__u32 n = 0; n < TRACE_USER_EVENT_MAX - 1; n++) {
		snprintf(name, sizeof(name), "name %u", n);
		CHECK_EQ(posix_trace_eventid_open(name, &id), 0);
		CHECK_EQ(id, POSIX_ID_USER + 1 + n);
	}
	CHECK_EQ(posix_trace_eventid_open("one more", &id), 0);
	CHECK_EQ(id, POSIX_TRACE_UNNAMED_USEREVENT);
	CHECK_EQ(posix_trace_eventid_open("name 5", &known), 0);
	CHECK_EQ(known, POSIX_ID_USER + 6);
	/* Another program's, which this one has no room for. */
	CHECK(ktrace_posix_name_open(registry, "one more", true));
	CHECK_EQ(posix_trace_eventid_open("one more", &id), 0);
	CHECK_EQ(id, POSIX_TRACE_UNNAMED_USEREVENT);
	memset(name, 'n', TRACE_EVENT_NAME_MAX + 1);
	name[TRACE_EVENT_NAME_MAX + 1] = '\0';
	CHECK_EQ(posix_trace_eventid_open(name, &id), ENAMETOOLONG);
	CHECK_EQ(posix_trace_eventid_open(NULL, &id), EINVAL);
	CHECK_EQ(posix_trace_eventid_open("n", NULL), EINVAL);
	/* Without a registry nothing is recorded, whatever the id. */
	ktrace_posix_member.registry = NULL;
	CHECK_EQ(posix_trace_eventid_open("n", &id), 0);
	CHECK_EQ(id, POSIX_TRACE_UNNAMED_USEREVENT);
}

static bool stream_has(__u32 stream, trace_event_id_t id)
{
	return registry->stream[stream].types[id / 64] >> id % 64 & 1;
}

/* Types opened before a stream was made, and after; not those of processes that are not in it. */
static void test_types_of_streams(void)
{
	trace_event_id_t before, after, other;

	new_registry();
	other = open_number(9, true);
	registry->process[1].pid = 1;
	registry->process[1].opened[other / 64] |= 1ull << other % 64;
	CHECK_EQ(posix_trace_eventid_open("before", &before), 0);
	registry->process[0].streams = 1ull << 3;
	ktrace_posix_names_join(registry, 3);
	CHECK_EQ(posix_trace_eventid_open("after", &after), 0);
	CHECK(stream_has(3, before) && stream_has(3, after) && !stream_has(3, other));
	CHECK(!stream_has(2, after));
	/* Another program in the same process: what the stream has it keeps. */
	memset(ktrace_posix_member.opened, 0, sizeof(ktrace_posix_member.opened));
	ktrace_posix_names_place(registry);
	CHECK(stream_has(3, before));
	ktrace_posix_names_join(registry, 2);
	CHECK(!stream_has(2, before));
}

int main(void)
{
	test_open();
	test_processes();
	test_dead_claimer();
	test_stopped_claimer();
	test_confined_claimers();
	test_claimed_registry();
	test_full_registry();
	test_spoilt_registry();
	test_limit_of_a_program();
	test_types_of_streams();
	return 0;
}
