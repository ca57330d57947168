// SPDX-License-Identifier: GPL-2.0
/*
 * ktrace_kinds.c - fires tracepoints with every kind of field, kinds_trace.h
 *
 * Writing N to the parameter "fire" has each of them fired N times, with seeds 0 to N - 1. The
 * values follow from the seed alone, so that ftrace and ktrace record the same ones.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include "kinds_trace.h"

/* Limits first, then anything */
u64 kinds_number(unsigned int seed, unsigned int i)
{
	static const u64 limits[] = { 0, ~0ull, 0x8000800080008080ull, 0x7fff7fff7fff7f7full, 1 };

	i += seed;
	if (i < ARRAY_SIZE(limits))
		return limits[i];
	return (i * 0x9e3779b97f4a7c15ull) ^ (seed * 0xc2b2ae3d27d4eb4full);
}

void kinds_fill(void *to, size_t bytes, unsigned int seed)
{
	unsigned int i;
	u64 number;

	for (i = 0; bytes; i++) {
		const size_t n = min(bytes, sizeof(number));

		number = kinds_number(seed, i);
		memcpy(to, &number, n);
		to += n;
		bytes -= n;
	}
}

void kinds_fill_bools(bool *to, size_t nr, unsigned int seed)
{
	size_t i;

	for (i = 0; i < nr; i++)
		to[i] = kinds_number(seed, i) >> 7 & 1;
}

static void fire_one(struct kinds_given *given)
{
	trace_kinds_one(given);
	trace_kinds_fixed(given);
	trace_kinds_dynamic(given);
	trace_kinds_text(given);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
	trace_kinds_relative(given);
	trace_kinds_relative_text(given);
#endif
	trace_kinds_long(given);
}

__printf(2, 3)
static void fire_with(struct kinds_given *given, const char *fmt, ...)
{
	struct va_format message = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	message.va = &args;
	given->message = &message;
	fire_one(given);
	va_end(args);
}

static int fire(const char *value, const struct kernel_param *param)
{
	static const char * const texts[] = {
		"short", "a text that is longer than twelve", "", "tab\there \"q\" \\ new\nline",
		"utf8 \xc3\xa9 bad \xff end", "twelve bytes",
	};
	struct kinds_given given = { .address = (void *)0xffff888000001234ul };
	unsigned int nr, i;
	int ret = kstrtouint(value, 0, &nr);

	for (given.seed = 0; !ret && given.seed < nr; given.seed++) {
		given.nr = given.seed % 5;
		given.text = texts[given.seed % ARRAY_SIZE(texts)];
		for (i = 0; i < ARRAY_SIZE(given.bits); i++)
			given.bits[i] = (unsigned long)kinds_number(given.seed, i);
		given.bits[1] &= 0x3f;
		given.bits[0] &= given.seed & 1 ? ~0ul : 7ul;
		fire_with(&given, "number %u of %s", given.seed, given.text);
	}
	return ret;
}

static const struct kernel_param_ops fire_ops = { .set = fire };

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fire each tracepoint so many times");

static int __init kinds_init(void)
{
	return 0;
}

static void __exit kinds_exit(void)
{
}

module_init(kinds_init);
module_exit(kinds_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test: tracepoints with every kind of field");
