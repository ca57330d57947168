/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(kitchen, order, ktrace_u32(table), ktrace_string(dish));
KTRACE_EVENT(kitchen, step, ktrace_u32(table),
	     ktrace_enum(u8, what, (WASH, 0), (CUT, 1), (COOK, 2)),
	     ktrace_f64(degrees));
KTRACE_EVENT(kitchen, bill, ktrace_u32(table), ktrace_seq(u16, cents));
TRACE_ID(COOK_DONE, table, cook);

static const char *const dishes[] = { "soup", "fish", "pie" };

static void *cook(void *arg)
{
	unsigned int table = (unsigned int)(size_t)arg;

	for (int what = 0; what < 3; what++)
		ktrace(kitchen, step, table, what, what == 2 ? 98.5 : 20);
	TRACE(COOK_DONE, table, pthread_self());
	return NULL;
}

int main(void)
{
	const uint16_t cents[] = { 450, 1280, 390 };
	pthread_t cooks[3];

	for (size_t i = 0; i < 3; i++) {
		ktrace(kitchen, order, (uint32_t)i, dishes[i]);
		if (pthread_create(&cooks[i], NULL, cook, (void *)i))
			return 1;
	}
	for (int i = 0; i < 3; i++)
		pthread_join(cooks[i], NULL);
	if (ktrace_enabled(kitchen, bill))
		puts("somebody wants to see the bill");
	ktrace(kitchen, bill, 2, cents, 3);
	return 0;
}
