/* SPDX-License-Identifier: GPL-2.0 */
/* check.h - a failed check says where and ends the test */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #condition); \
		exit(1); \
	} \
} while (0)

#define CHECK_EQ(a, b) do { \
	long long a_ = (long long)(a), b_ = (long long)(b); \
	if (a_ != b_) { \
		fprintf(stderr, "%s:%d: %s: %s is %lld, not %lld\n", __FILE__, __LINE__, \
			__func__, #a, a_, b_); \
		exit(1); \
	} \
} while (0)

#define CHECK_STR(a, b) do { \
	if (strcmp(a, b)) { \
		fprintf(stderr, "%s:%d: %s: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, \
			__func__, #a, a, b); \
		exit(1); \
	} \
} while (0)

/* Creates an empty file that no other process has; @name is a part of its name. */
static inline void temporary_file(char *path, size_t size, const char *name)
{
	int fd;

	CHECK((size_t)snprintf(path, size, "/tmp/%s.XXXXXX", name) < size);
	fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
}

/* Where all of something is tried: every how-manyth, which is each unless UNIT_STEP says more. */
static inline int unit_step(void)
{
	const char *step = getenv("UNIT_STEP");

	return step ? atoi(step) : 1;
}

#endif
