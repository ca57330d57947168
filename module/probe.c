// SPDX-License-Identifier: GPL-2.0
/*
 * probe.c - the table of probes: finding, switching on and off
 *
 * A probe is hooked while at least one running session needs it, and costs nothing
 * otherwise. Tracepoints are found by name, because few of them are exported.
 */
#include "probe.h"
#include "compat.h"
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>
#include <uapi/linux/ktrace_events.h>
#include "find.h"

static const struct {
	struct kt_probe *probes;
	u16 first;
	u16 last;
} families[] = {
#define FAMILY(name, first, last) { kt_probe_##name, first, last },
	KT_PROBE_FAMILIES(FAMILY)
#undef FAMILY
};

#define for_each_probe(f, p)                                                    \
	for ((f) = 0; (f) < ARRAY_SIZE(families); (f)++)                        \
		for ((p) = families[f].probes; (p)->id; (p)++)

/* Protects users of all rows, and keeps the hooks consistent with it. */
static DEFINE_MUTEX(probes_lock);

static bool probe_is_usable(const struct kt_probe *p)
{
	return p->key || p->tp;
}

static int probe_hook(struct kt_probe *p)
{
	if (p->key) {
		static_branch_inc(p->key);
		return 0;
	}
	return tracepoint_probe_register(p->tp, p->func, NULL);
}

static void probe_unhook(struct kt_probe *p)
{
	if (p->key)
		static_branch_dec(p->key);
	else
		WARN_ON_ONCE(tracepoint_probe_unregister(p->tp, p->func, NULL));
}

static int probe_get_row(struct kt_probe *p)
{
	int err;

	lockdep_assert_held(&probes_lock);
	err = p->users ? 0 : probe_hook(p);
	if (!err)
		p->users++;
	return err;
}

static void probe_put_row(struct kt_probe *p)
{
	lockdep_assert_held(&probes_lock);
	if (!WARN_ON_ONCE(!p->users) && !--p->users)
		probe_unhook(p);
}

/* True if @id means this row; 0 means the rows that track processes. */
static bool is_meant(const struct kt_probe *p, u16 id)
{
	return id ? p->id == id : p->tracks;
}

/* Puts the first @nr of the rows that are meant. */
static void probe_put_rows(u16 id, u32 nr)
{
	struct kt_probe *p;
	u32 f;

	for_each_probe(f, p)
		if (is_meant(p, id) && nr) {
			probe_put_row(p);
			nr--;
		}
}

static int probe_get_rows(u16 id)
{
	struct kt_probe *p;
	u32 f, nr = 0;
	int err = 0;

	mutex_lock(&probes_lock);
	for_each_probe(f, p)
		if (!err && is_meant(p, id)) {
			err = probe_get_row(p);
			nr += !err;
		}
	if (err)
		probe_put_rows(id, nr);
	mutex_unlock(&probes_lock);
	return err;
}

static void put_all_rows(u16 id)
{
	mutex_lock(&probes_lock);
	probe_put_rows(id, U32_MAX);
	mutex_unlock(&probes_lock);
}

/**
 * kt_probe_check - check whether this kernel can produce an event
 * @id:		any number
 *
 * Context: any.
 * Return: 0; -EINVAL no such event; -EOPNOTSUPP this kernel has no such tracepoint.
 */
int kt_probe_check(u16 id)
{
	const struct kt_probe *p;
	int err = -EINVAL;
	u32 f;

	for_each_probe(f, p)
		if (p->id == id && err != -EOPNOTSUPP)
			err = probe_is_usable(p) ? 0 : -EOPNOTSUPP;
	return err;
}

/**
 * kt_probe_get - hook the probes of an event
 * @id:		the event; kt_probe_check() has returned 0 for it
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM.
 */
int kt_probe_get(u16 id)
{
	return probe_get_rows(id);
}

/** kt_probe_put - undo one kt_probe_get(); probes may run until kt_probe_quiesce() */
void kt_probe_put(u16 id)
{
	put_all_rows(id);
}

/**
 * kt_probe_get_tracking - hook the probes that keep the process filters up to date
 *
 * Context: process, sleeps.
 * Return: as kt_probe_get().
 */
int kt_probe_get_tracking(void)
{
	return probe_get_rows(0);
}

/** kt_probe_put_tracking - undo one kt_probe_get_tracking() */
void kt_probe_put_tracking(void)
{
	put_all_rows(0);
}

/** kt_probe_quiesce - wait until probes that were put, and other readers by RCU, no longer run */
void kt_probe_quiesce(void)
{
	tracepoint_synchronize_unregister();
	kt_compat_synchronize_rcu();
}

/* True if each event has a row, and each row an event of its family and exactly one source. */
static bool table_is_complete(void)
{
	u64 seen[ARRAY_SIZE(families)] = { 0 };
	struct kt_probe *p;
	u32 f;

	for_each_probe(f, p) {
		if (p->id < families[f].first || p->id > families[f].last ||
		    !p->key == !p->tracepoint || (p->func && !p->tracepoint))
			return false;
		seen[f] |= BIT_ULL(p->id - families[f].first);
	}
	for (f = 0; f < ARRAY_SIZE(families); f++)
		if (seen[f] != GENMASK_ULL(families[f].last - families[f].first, 0))
			return false;
	return true;
}

/**
 * kt_probe_init - check the table and find the tracepoints
 *
 * Context: loading, sleeps.
 * Return: 0; -EINVAL for a table with gaps; -ENODEV if the kernel lacks a tracepoint that tracks
 * processes. Other missing tracepoints only disable their events.
 */
int kt_probe_init(void)
{
	struct kt_probe *p;
	u32 f;

	if (WARN_ON(!table_is_complete()))
		return -EINVAL;
	for_each_probe(f, p) {
		if (p->func)
			p->tp = kt_find_tracepoint(p->tracepoint);
		if (probe_is_usable(p))
			continue;
		pr_warn("this kernel has no tracepoint %s\n", p->tracepoint);
		if (p->tracks)
			return -ENODEV;
	}
	return 0;
}

/** kt_probe_exit - wait for running probes before their code goes away */
void kt_probe_exit(void)
{
	kt_probe_quiesce();
}
