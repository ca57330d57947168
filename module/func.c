// SPDX-License-Identifier: GPL-2.0
/*
 * func.c - events that name the function that the kernel runs or will run
 *
 * The record has the function's name, not its address. A name stays right after a reboot or after
 * the module is unloaded, needs no file beside the trace and no privilege to read one, and does not
 * reveal where the kernel is in memory. Finding a name takes time, so it is done only for events
 * that a session wants.
 */
#include "func.h"
#include <linux/kernel.h>
#include <linux/string.h>
#include "emit.h"

/* All payloads: one or two words, then the name. */
struct with_name {
	u64 object;
	char name[KTRACE_FUNC_LEN];
};

struct with_value {
	u64 object;
	s64 value;
	char name[KTRACE_FUNC_LEN];
};

static_assert(sizeof(struct with_value) <= KT_HIDE_MAX);
static_assert(offsetof(struct with_name, name) == sizeof(struct ktrace_ev_workqueue) &&
	      offsetof(struct with_name, name) == sizeof(struct ktrace_ev_timer) &&
	      offsetof(struct with_value, name) == sizeof(struct ktrace_ev_workqueue_queue) &&
	      offsetof(struct with_value, name) == sizeof(struct ktrace_ev_timer_start) &&
	      offsetof(struct with_value, name) == sizeof(struct ktrace_ev_timer_enter));

/*
 * Hides the object, and in an interrupt also the name: an interrupt may work for another user than
 * current's. func_emit() hides the length of a hidden name as well: few functions have names of the
 * same length.
 */
static void func_hide_in(u64 *object, char *name)
{
	*object = 0;
	if (!in_task())
		name[0] = '\0';
}

static void hide_with_name(void *payload, bool who, bool other)
{
	struct with_name *p = payload;

	func_hide_in(&p->object, p->name);
}

static void hide_with_value(void *payload, bool who, bool other)
{
	struct with_value *p = payload;

	func_hide_in(&p->object, p->name);
}

/* The times of a timer are those of whoever set it, for instance how far a connection's peer is. */
static void hide_with_time(void *payload, bool who, bool other)
{
	struct with_value *p = payload;

	hide_with_value(payload, who, other);
	if (!in_task())
		p->value = 0;
}

/*
 * Stores the name of @func. Without a name %ps prints the address, which not all users may see:
 * stores "" instead.
 * Return: its bytes with the NUL, more than KTRACE_FUNC_LEN if the name was truncated.
 */
static u32 func_put_name(char name[KTRACE_FUNC_LEN], const void *func)
{
	u32 n;

	name[0] = '\0';
	if (!IS_ENABLED(CONFIG_KALLSYMS))
		return 1;
	n = snprintf(name, KTRACE_FUNC_LEN, "%ps", func);
	if (strncmp(name, "0x", 2))
		return n + 1;
	name[0] = '\0';
	return 1;
}

static void func_emit(u16 id, const void *payload, u32 head, u32 name_len,
		      void (*hide)(void *payload, bool who, bool other))
{
	kt_emit(&(struct kt_event){
		.id = id,
		.len = head + min_t(u32, name_len, KTRACE_FUNC_LEN),
		.flags = name_len > KTRACE_FUNC_LEN ? KTRACE_REC_TRUNCATED : 0,
		.payload = payload,
		.who = current,
		.other = current,
		.hide = hide,
		.hidden_len = in_task() ? 0 : head + 1,
	});
}

/**
 * kt_func_emit - record an event of an object and the function it is to run
 * @id:		KTRACE_EV_*, whose payload is a word and the name
 * @object:	its address; the object itself may be gone
 * @func:	the function
 *
 * Context: as kt_emit().
 */
void kt_func_emit(u16 id, const void *object, const void *func)
{
	struct with_name payload;
	u32 n;

	if (!kt_emit_wants(id, current))
		return;
	payload.object = (unsigned long)object;
	n = func_put_name(payload.name, func);
	func_emit(id, &payload, offsetof(struct with_name, name), n, hide_with_name);
}

/** kt_func_emit_value - do the same with a value between object and name */
void kt_func_emit_value(u16 id, const void *object, s64 value, const void *func)
{
	struct with_value payload;
	u32 n;

	if (!kt_emit_wants(id, current))
		return;
	payload.object = (unsigned long)object;
	payload.value = value;
	n = func_put_name(payload.name, func);
	func_emit(id, &payload, offsetof(struct with_value, name), n,
		  id == KTRACE_EV_WORKQUEUE_QUEUE ? hide_with_value : hide_with_time);
}
