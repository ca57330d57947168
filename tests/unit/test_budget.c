// SPDX-License-Identifier: GPL-2.0
/*
 * test_budget.c - what is spent on lines about mapped code ends where it must
 */
#include "check.h"

#include "../../userspace/daemon/base/budget.h"

#define SECOND 1000000000ull

static void test_in_all(void)
{
	struct budget b = { .left = 100, .a_second = 30 };

	for (__u64 s = 1; s <= 5; s++)
		CHECK(budget_spend(&b, 20, s * SECOND));
	CHECK_EQ(b.left, 0);
	CHECK(budget_spend(&b, 0, 6 * SECOND));
	CHECK(!budget_spend(&b, 1, 6 * SECOND));
	CHECK(!budget_spend(&b, 0, 7 * SECOND));
}

static void test_in_a_second(void)
{
	struct budget b = { .left = 100, .a_second = 30 };

	CHECK(budget_spend(&b, 30, SECOND));
	CHECK(budget_spend(&b, 29, 2 * SECOND));
	CHECK(budget_spend(&b, 1, 3 * SECOND - 1));
	CHECK(budget_spend(&b, 10, 3 * SECOND));
	CHECK_EQ(b.left, 30);
	CHECK(!budget_spend(&b, 21, 3 * SECOND + 1));
	CHECK(!budget_spend(&b, 0, 9 * SECOND));
}

int main(void)
{
	test_in_all();
	test_in_a_second();
	puts("ok");
	return 0;
}
