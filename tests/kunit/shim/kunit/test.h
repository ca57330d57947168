/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test.h - the part of KUnit that the pure suites use, for an ordinary program
 *
 * A suite written for the kernel runs unchanged under sanitizers. Output is KTAP.
 */
#ifndef KTRACE_SHIM_KUNIT_TEST_H
#define KTRACE_SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIM_ALLOC_MAX 64
#define GFP_KERNEL 0

struct kunit {
	void *priv;
	jmp_buf out;
	int failed;
	void *mem[SHIM_ALLOC_MAX];
	int mem_nr;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn) { .run_case = fn, .name = #fn }

#define SHIM_CHECK(test, ok, left, right, stop, text)                                     \
	do {                                                                              \
		if (!(ok)) {                                                              \
			printf("    # %s:%d: %s (%lld, %lld)\n", __FILE__, __LINE__,      \
			       text, (long long)(left), (long long)(right));              \
			(test)->failed = 1;                                               \
			if (stop)                                                         \
				longjmp((test)->out, 1);                                  \
		}                                                                         \
	} while (0)

#define SHIM_COMPARE(test, a, op, b, stop)                                                \
	do {                                                                              \
		__typeof__(a) shim_a = (a);                                               \
		__typeof__(b) shim_b = (b);                                               \
		SHIM_CHECK(test, shim_a op shim_b, shim_a, shim_b, stop,                  \
			   "expected " #a " " #op " " #b);                                \
	} while (0)

#define KUNIT_EXPECT_EQ(test, a, b) SHIM_COMPARE(test, a, ==, b, 0)
#define KUNIT_EXPECT_NE(test, a, b) SHIM_COMPARE(test, a, !=, b, 0)
#define KUNIT_EXPECT_LE(test, a, b) SHIM_COMPARE(test, a, <=, b, 0)
#define KUNIT_EXPECT_GE(test, a, b) SHIM_COMPARE(test, a, >=, b, 0)
#define KUNIT_EXPECT_GT(test, a, b) SHIM_COMPARE(test, a, >, b, 0)
#define KUNIT_ASSERT_EQ(test, a, b) SHIM_COMPARE(test, a, ==, b, 1)
#define KUNIT_ASSERT_LE(test, a, b) SHIM_COMPARE(test, a, <=, b, 1)
#define KUNIT_EXPECT_MEMEQ(test, a, b, n)                                                 \
	SHIM_CHECK(test, !memcmp(a, b, n), 0, 0, 0, #a " and " #b " differ")
#define KUNIT_EXPECT_TRUE(test, x) SHIM_CHECK(test, x, 0, 1, 0, "expected " #x)
#define KUNIT_EXPECT_FALSE(test, x) SHIM_CHECK(test, !(x), 1, 0, 0, "expected not " #x)
#define KUNIT_ASSERT_TRUE(test, x) SHIM_CHECK(test, x, 0, 1, 1, "expected " #x)
#define KUNIT_ASSERT_NOT_NULL(test, x) SHIM_CHECK(test, (x) != NULL, 0, 1, 1, #x " is NULL")

static inline void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	void *p = calloc(1, size);

	(void)gfp;
	if (test->mem_nr == SHIM_ALLOC_MAX) {
		free(p);
		return NULL;
	}
	test->mem[test->mem_nr++] = p;
	return p;
}

static inline int shim_run_case(struct kunit_suite *suite, struct kunit_case *c, int nr)
{
	static struct kunit test;

	test = (struct kunit){ 0 };
	if (!setjmp(test.out)) {
		test.failed = suite->init && suite->init(&test);
		if (!test.failed)
			c->run_case(&test);
	}
	if (suite->exit)
		suite->exit(&test);
	while (test.mem_nr)
		free(test.mem[--test.mem_nr]);
	printf("    %sok %d %s\n", test.failed ? "not " : "", nr, c->name);
	return test.failed;
}

static inline int shim_run_suite(struct kunit_suite *suite)
{
	int nr = 0, failed = 0;

	printf("KTAP version 1\n    # Subtest: %s\n", suite->name);
	for (struct kunit_case *c = suite->test_cases; c->run_case; c++)
		failed += shim_run_case(suite, c, ++nr);
	printf("%sok 1 %s\n", failed ? "not " : "", suite->name);
	return failed;
}

#define kunit_test_suite(suite)                                                           \
	int main(void)                                                                    \
	{                                                                                 \
		setvbuf(stdout, NULL, _IOLBF, 0);                                         \
		return shim_run_suite(&(suite)) != 0;                                     \
	}                                                                                 \
	struct shim_semicolon

#endif
