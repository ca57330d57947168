// SPDX-License-Identifier: GPL-2.0
/*
 * context.c - context recorded with kernel events beside their payloads, and its meaning
 *
 * Records contain numbers. Their meaning is collected from time to time and written to META:
 * stacks from the session, with the kernel functions and the code of processes that they go
 * through; control groups from their file system.
 */
#include "context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/context.h>

#include "base/clock.h"
#include "base/lockdown.h"
#include "base/log.h"
#include "base/pidspace.h"

#define BUFFER_SIZE (64u << 10)
/* Buffers taken in one drain: the rings wait meanwhile */
#define BUFFERS_PER_DRAIN 8
#define LOOK_NS 100000000ull
/* The search for control groups takes at most 1/20 of the time: there may be thousands. */
#define LOOK_PART 20
#define NAME_SIZE 64
/* Memory that the names of kernel functions take on kernels with many of them */
#define SYMBOLS_BYTES (24u << 20)
/* Time between two attempts to find room for text about code */
#define ROOM_NS 1000000000ull

static const __u16 stack_bits = KTRACE_CONTEXT_KSTACK | KTRACE_CONTEXT_USTACK;

/* Counter kinds are hardware, then software, each numbered as in perf_event_open(2). */
static int add_counter(struct context *c, struct ktrace_session *s, __u32 kind)
{
	const __u32 number = kind - KTRACE_ITEM_COUNTER;
	int error = ktrace_session_counter(s, number / KTRACE_COUNTER_CONFIGS,
					   number % KTRACE_COUNTER_CONFIGS, &c->counters[kind]);

	if (!error)
		return 0;
	c->counters[kind] = 0;
	log_note("--context: no counter perf:%s: %s; the rest is recorded", ktrace_item_name(kind),
		 error == -EOPNOTSUPP ? "this machine does not support it" :
		 error == -EPERM ? "it needs CAP_PERFMON" :
		 error == -ENOSPC ? "at most 8 are possible" : strerror(-error));
	return error == -ENOMEM || error == -EDQUOT ? error : 0;
}

static int set_event(struct context *c, struct ktrace_session *s, __u16 id, struct context_spec w)
{
	__u16 bits = w.bits;
	int error;

	for (__u32 kind = KTRACE_ITEM_COUNTER; kind < 64; kind++)
		if (w.counters & 1ull << kind)
			bits |= c->counters[kind];
	do {
		bits &= (__u16)~c->refused;
		error = bits ? ktrace_session_context(s, id, bits) : 0;
		if (error == -EPERM && bits & KTRACE_CONTEXT_KSTACK) {
			log_note("--context: no kernel stacks: %s; the rest is recorded",
				 lockdown_is_on() ? LOCKDOWN_WHY : "they need CAP_PERFMON");
			c->refused |= KTRACE_CONTEXT_KSTACK;
		} else if (error == -EOPNOTSUPP && bits & KTRACE_CONTEXT_CGROUP) {
			log_note("--context: this kernel has no cgroups; the rest is recorded");
			c->refused |= KTRACE_CONTEXT_CGROUP;
		} else {
			break;
		}
	} while (bits & c->refused);
	c->has_stacks |= !error && bits & stack_bits;
	c->has_cgroups |= !error && bits & KTRACE_CONTEXT_CGROUP;
	return error;
}

/* Reads kernel symbols on the first call only, so that a failure is reported once. */
static void read_symbols(struct context *c)
{
	int error = 0;

	if (!c->has_read)
		error = ktrace_memory_available() < SYMBOLS_BYTES ? -ENOMEM
			: kallsyms_read(&c->symbols);
	c->has_read = true;
	if (error)
		log_note("names of kernel functions are unknown: /proc/kallsyms: %s",
			 strerror(-error));
}

/* Watches which code processes map: a process may have ended when its stacks are resolved. */
static void watch_maps(struct context *c, struct ktrace_session *s)
{
	struct ktrace_reading now;
	int error;

	ktrace_session_clock(s, &now);
	error = mmap_events_begin(&c->watch, now.raw);
	if (error == -EXDEV)
		log_note("--context: functions of programs stay unnamed: ktraced runs in a PID "
			 "namespace");
	else if (error)
		log_note("--context: functions of short-lived programs stay unnamed: %s",
			 error == -EACCES || error == -EPERM ? "it needs CAP_PERFMON" :
			 strerror(-error));
}

static void unwatch_maps(struct context *c)
{
	const struct mmap_events_loss loss = mmap_events_loss(c->watch);

	if (loss.news)
		log_note("--context: the kernel lost %llu reports of mapped code: functions there "
			 "may stay unnamed",
			 (unsigned long long)loss.news);
	if (loss.cpus)
		log_note("--context: CPUs came online %u times; code mapped there in the first "
			 "moments may stay unnamed", loss.cpus);
	if (loss.untold)
		log_note("--context: the file had no room for %llu reports of mapped code: "
			 "functions there may stay unnamed", (unsigned long long)loss.untold);
	mmap_events_free(c->watch);
	c->watch = NULL;
}

/* Reports once that room has run out; unwatch_maps() reports the total at the end. */
static void drain_maps(struct context *c, struct ktrace_session *s, struct ktrace_text *meta)
{
	if (mmap_events_drain(c->watch, s, meta) || c->is_short_said)
		return;
	c->is_short_said = true;
	log_note("--context: the file has no room for more reports of mapped code; until it has, "
		 "functions of short-lived programs stay unnamed");
}

int context_event(struct context *c, struct ktrace_session *s, __u16 id, const char *name)
{
	char family[NAME_SIZE];

	snprintf(family, sizeof(family), "%.*s", (int)strcspn(name, ":"), name);
	return c->wishes ? set_event(c, s, id, context_specs_for(c->wishes, family, name)) : 0;
}

int context_begin(struct context *c, struct ktrace_session *s, const struct context_specs *wishes)
{
	const struct context_spec all = context_specs_all(wishes);
	const struct ktrace_kernel_event *ev;
	char name[NAME_SIZE];
	int error;

	if (!wishes->nr)
		return 0;
	c->wishes = wishes;
	c->has_proc = pidspace_is_kernels();
	/* Requests context even if empty: otherwise tracepoints added later could have none. */
	error = ktrace_session_context(s, ktrace_kernel_event(0)->id, 0);
	for (__u32 kind = KTRACE_ITEM_COUNTER; kind < 64 && !error; kind++)
		if (all.counters & 1ull << kind)
			error = add_counter(c, s, kind);
	for (__u32 i = 0; !error && (ev = ktrace_kernel_event(i)); i++) {
		snprintf(name, sizeof(name), "%s:%s", ev->family, ev->name);
		error = context_event(c, s, ev->id, name);
	}
	if (!error && all.bits & ~c->refused & KTRACE_CONTEXT_KSTACK)
		read_symbols(c);
	if (!error && all.bits & ~c->refused & KTRACE_CONTEXT_USTACK)
		watch_maps(c, s);
	return error;
}

void context_resume(struct context *c)
{
	c->has_stacks = true;
	c->has_proc = pidspace_is_kernels();
}

/* The innermost address is the current instruction, the others are return addresses. */
static void tell_functions(struct context *c, struct ktrace_text *meta,
			   const struct ktrace_stack *stack)
{
	read_symbols(c);	/* already read at the start, except in recovery */
	for (__u32 i = 0; i < stack->nr; i++)
		kallsyms_tell(c->symbols, meta, KTRACE_STACK_ADDRESSES(stack)[i] - !!i);
}

static void tell_stack(struct ktrace_text *meta, __u64 session, const struct ktrace_stack *stack)
{
	char addresses[KTRACE_STACK_FRAMES * 17 + 1], *to = addresses;

	*to = '\0';
	for (__u32 i = 0; i < stack->nr; i++)
		to += sprintf(to, "%s%llx", i ? "," : "",
			      (unsigned long long)KTRACE_STACK_ADDRESSES(stack)[i]);
	ktrace_text_line(meta, "stack");
	ktrace_text_u64(meta, "id", KTRACE_STACK_NUMBER(session, stack->id));
	ktrace_text_str(meta, "kind", stack->kind == KTRACE_STACK_KERNEL ? "kernel" : "user");
	if (stack->kind != KTRACE_STACK_KERNEL)
		ktrace_text_u64(meta, "pid", stack->pid);
	ktrace_text_u64(meta, "ts", stack->ts);
	if (stack->flags & KTRACE_STACK_CUT)
		ktrace_text_u64(meta, "cut", 1);
	ktrace_text_str(meta, "addresses", addresses);
}

static void tell_all(struct context *c, __u64 session, struct ktrace_text *meta, const __u64 *at,
		     int bytes)
{
	const __u64 *end = at + (size_t)bytes / sizeof(*at);

	while (at < end) {
		const struct ktrace_stack *stack = (const struct ktrace_stack *)at;

		if (stack->nr > KTRACE_STACK_FRAMES)
			return;
		if (stack->kind == KTRACE_STACK_KERNEL)
			tell_functions(c, meta, stack);
		else if (!mmap_events_knows(c->watch, stack->pid) && c->has_proc)
			procmaps_tell(&c->maps, meta, stack);
		tell_stack(meta, session, stack);
		at += sizeof(*stack) / sizeof(*at) + stack->nr;
	}
}

static int tell_stacks(struct context *c, struct ktrace_session *s, struct ktrace_text *meta)
{
	static __u64 buffer[BUFFER_SIZE / sizeof(__u64)];
	int bytes = ktrace_session_stacks(s, &c->pos, buffer, sizeof(buffer), &c->dropped);

	if (bytes > 0)
		tell_all(c, ktrace_session_id(s), meta, buffer, bytes);
	return bytes;
}

static void tell_cgroups(struct context *c, struct ktrace_text *meta)
{
	const __u64 begin = now_ns();
	__u64 took;

	cgroups_tell(&c->cgroups, meta);
	took = now_ns() - begin;
	c->next_look = begin + (LOOK_NS > LOOK_PART * took ? LOOK_NS : LOOK_PART * took);
}

void context_drain(struct context *c, struct ktrace_session *s, struct ktrace_text *meta)
{
	if (!c)
		return;
	drain_maps(c, s, meta);
	for (int i = 0; c->has_stacks && i < BUFFERS_PER_DRAIN; i++)
		if (tell_stacks(c, s, meta) <= 0)
			break;
	if (c->has_cgroups && now_ns() >= c->next_look)
		tell_cgroups(c, meta);
}

bool context_is_short(struct context *c)
{
	if (!c || !mmap_events_is_short(c->watch) || now_ns() < c->next_room)
		return false;
	c->next_room = now_ns() + ROOM_NS;
	return true;
}

void context_kept(struct context *c, __u64 bytes)
{
	if (c)
		mmap_events_kept(c->watch, bytes);
}

void context_written(struct context *c, __u64 size)
{
	mmap_events_written(c->watch, size);
}

void context_finish(struct context *c, struct ktrace_session *s, struct ktrace_text *meta)
{
	drain_maps(c, s, meta);
	while (c->has_stacks && tell_stacks(c, s, meta) > 0)
		;
	unwatch_maps(c);
	if (c->has_cgroups)
		tell_cgroups(c, meta);
	if (c->dropped)
		log_note("--context: %llu stacks could not be recorded",
			 (unsigned long long)c->dropped);
}

void context_exit(struct context *c)
{
	kallsyms_free(c->symbols);
	cgroups_free(&c->cgroups);
	procmaps_free(&c->maps);
	mmap_events_free(c->watch);
	*c = (struct context){ .has_stacks = false };
}
