/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fuzz.h - what the harnesses share: taking an input apart, files in memory, checks
 *
 * A harness is one file, fuzz_<name>.c, with LLVMFuzzerTestOneInput(). What it tests must
 * hold for every input; REQUIRE() ends the run with the input kept.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define REQUIRE(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: %s: does not hold: %s\n", __FILE__, __LINE__, \
			__func__, #condition); \
		abort(); \
	} \
} while (0)

/* struct input - what is left of the bytes of a run; behind the end come zeros */
struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static inline size_t input_left(const struct input *in)
{
	return (size_t)(in->end - in->at);
}

/* The next @n <= 8 bytes as a number. */
static inline __u64 input_number(struct input *in, size_t n)
{
	__u64 v = 0;

	if (n > input_left(in))
		n = input_left(in);
	if (n)
		memcpy(&v, in->at, n);
	in->at += n;
	return v;
}

/* A number that is small more often than not: a byte, or one that says how many follow. */
static inline __u64 input_any(struct input *in)
{
	__u64 v = input_number(in, 1);

	return v < 0xf8 ? v : input_number(in, (size_t)(v - 0xf7));
}

/* The bytes up to a NUL or the end, as a string to be freed. */
static inline char *input_string(struct input *in)
{
	size_t n = strnlen((const char *)in->at, input_left(in));
	char *s = malloc(n + 1);

	REQUIRE(s);
	memcpy(s, in->at, n);
	s[n] = '\0';
	in->at += n + (n < input_left(in));
	return s;
}

/* struct memfile - a file in memory that can be opened by name */
struct memfile {
	int fd;
	char path[32];
};

static inline void memfile_make(struct memfile *f)
{
	f->fd = memfd_create("fuzz", MFD_CLOEXEC);
	REQUIRE(f->fd >= 0);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static inline void memfile_fill(struct memfile *f, const void *data, size_t size)
{
	REQUIRE(!ftruncate(f->fd, 0));
	REQUIRE(pwrite(f->fd, data, size, 0) == (ssize_t)size);
}

#endif
