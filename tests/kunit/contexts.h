/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contexts.h - have a function called in a real softirq, hardirq or NMI, on this CPU, now
 *
 * Each context can interrupt those of lower rank and is never interrupted by itself, so
 * data of one context on one CPU need no protection.
 */
#ifndef KTRACE_KUNIT_CONTEXTS_H
#define KTRACE_KUNIT_CONTEXTS_H

#include <linux/types.h>

enum context {
	CONTEXT_PROCESS = 0,
	CONTEXT_SOFTIRQ,	/* a tasklet */
	CONTEXT_IRQ_WORK,
	CONTEXT_HRTIMER,
	CONTEXT_NMI,
	CONTEXT_NR,
};

/* May @inner interrupt @outer? A hardirq does not interrupt another. */
static inline bool context_may_interrupt(enum context inner, enum context outer)
{
	return inner > outer && !(outer == CONTEXT_IRQ_WORK && inner == CONTEXT_HRTIMER);
}

/* What is called; set by contexts_init(). */
typedef void (*context_fn)(enum context context);

int contexts_init(context_fn fn);

/* When it returns, nothing that was raised is pending any more, on any CPU. */
void contexts_exit(void);

/*
 * Raise @context on this CPU and wait until it has run. Preemption off, the caller's
 * context is one that @context may interrupt.
 *
 * Return: false if it has not come yet: it will, but not here.
 */
bool context_raise(enum context context);

/* Raise CONTEXT_IRQ_WORK or CONTEXT_NMI on this CPU and do not wait. */
void context_poke(enum context context);

/*
 * From now until contexts_exit(): each CPU is interrupted by a timer again and again,
 * which raises softirqs and irq_works behind itself and NMIs on all CPUs.
 */
void contexts_storm(void);

#endif
