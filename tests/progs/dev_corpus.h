/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev_corpus.h - for dev_mutate.c: calls that user/record_ioctls.c wrote down, and values in them
 */
#ifndef TESTS_DEV_CORPUS_H
#define TESTS_DEV_CORPUS_H

#include <inttypes.h>
#include <linux/ktrace_shark.h>
#include "dev_nested.h"
#include "dev_random.h"

enum { OPS_MAX = 4096, LOGS_MAX = 64, LEARNT_NR = 256 };

struct bytes {
	unsigned char *at;	/* NULL: none */
	size_t size;
};

enum kind { FORKED, IOCTL, MMAP, DUP, CLOSED, EXITED };

/* One line; which members count depends on @kind. */
struct op {
	enum kind kind;
	int pid, fd;
	long other;		/* the parent; the new descriptor */
	unsigned int request;
	int error;
	struct bytes before, after, nested[NESTED_MAX];
	uint64_t off, length;
	unsigned int prot, flags;
};

struct log {
	struct op *ops;
	size_t nr;
};

static struct log logs[LOGS_MAX];
static size_t log_nr;

static inline struct bytes parse_bytes(const char *word)
{
	struct bytes b = { NULL, 0 };
	unsigned int byte;

	if (!word || !strcmp(word, "-"))
		return b;
	b.size = strlen(word) / 2;
	b.at = malloc(b.size);
	EXPECT(b.at);
	for (size_t i = 0; i < b.size; i++) {
		EXPECT_EQ(sscanf(word + 2 * i, "%2x", &byte), 1);
		b.at[i] = (unsigned char)byte;
	}
	return b;
}

static inline int parse_ioctl(struct op *op, const char *rest)
{
	char *words = strdup(rest), *save, *word;
	size_t i;

	EXPECT(words);
	op->kind = IOCTL;
	word = strtok_r(words, " \n", &save);
	op->request = word ? (unsigned int)strtoul(word, NULL, 0) : 0;
	word = strtok_r(NULL, " \n", &save);
	op->error = word ? atoi(word) : -1;
	op->before = parse_bytes(strtok_r(NULL, " \n", &save));
	op->after = parse_bytes(strtok_r(NULL, " \n", &save));
	for (i = 0; i < NESTED_MAX; i++)
		op->nested[i] = parse_bytes(strtok_r(NULL, " \n", &save));
	free(words);
	return op->error >= 0;
}

static inline int parse_op(struct op *op, const char *line)
{
	char what[16];
	int at = 0;

	*op = (struct op){ 0 };
	if (sscanf(line, "%d %15s %d %n", &op->pid, what, &op->fd, &at) < 3)
		return 0;
	if (!strcmp(what, "ioctl"))
		return parse_ioctl(op, line + at);
	if (!strcmp(what, "mmap")) {
		op->kind = MMAP;
		return sscanf(line + at, "%" SCNx64 " %" SCNx64 " %x %x", &op->off, &op->length,
			      &op->prot, &op->flags) == 4;
	}
	op->other = atol(line + at);
	if (!strcmp(what, "fork")) {
		op->other = op->fd;
		op->kind = FORKED;
	} else {
		op->kind = !strcmp(what, "dup") ? DUP : CLOSED;
	}
	return 1;
}

static inline int is_last(const struct log *log, size_t i)
{
	size_t k = i + 1;

	while (k < log->nr && log->ops[k].pid != log->ops[i].pid)
		k++;
	return k == log->nr;
}

/* A process ends where nothing more is said of it: it may have been killed. */
static inline void add_exits(struct log *log)
{
	struct op *ops = calloc(2 * log->nr, sizeof(*ops));
	size_t i, nr = 0;

	EXPECT(ops);
	for (i = 0; i < log->nr; i++) {
		ops[nr++] = log->ops[i];
		if (is_last(log, i))
			ops[nr++] = (struct op){ .kind = EXITED, .pid = log->ops[i].pid };
	}
	free(log->ops);
	*log = (struct log){ ops, nr };
}

/* Each file is a log; its end is left out if it is very long. */
static inline void read_log(const char *file)
{
	struct log *log = &logs[log_nr];
	FILE *f = fopen(file, "re");
	char *line = NULL;
	size_t room = 0;

	if (!f) {
		perror(file);
		exit(2);
	}
	EXPECT(log_nr < LOGS_MAX);
	log->ops = calloc(OPS_MAX, sizeof(*log->ops));
	EXPECT(log->ops);
	while (log->nr < OPS_MAX && getline(&line, &room, f) >= 0) {
		if (!parse_op(&log->ops[log->nr++], line)) {
			fprintf(stderr, "%s:%zu: not a recorded call: %s", file, log->nr, line);
			exit(2);
		}
	}
	free(line);
	fclose(f);
	if (!log->nr)
		return;
	add_exits(log);
	log_nr++;
}

/* ---- values ---- */

/* Values that the module gave when it was recorded, and those it gives now. */
static struct learnt {
	uint64_t then, now;
} learnt[LEARNT_NR];
static size_t learnt_nr;

/* A chunk's number is small. Other numbers that are small are what they are. */
static inline int is_id(const struct op *op, size_t at, uint64_t value)
{
	return value >> 16 || (op->request == KTRACE_IOC_SHARK_NEXT &&
			       at == offsetof(struct ktrace_shark_job, job));
}

static inline void learn(const struct op *op, const unsigned char *now, size_t size)
{
	uint64_t then, is, was;
	size_t i;

	if (size > op->after.size)
		size = op->after.size;
	for (i = 0; i + 8 <= size && learnt_nr < LEARNT_NR; i += 8) {
		memcpy(&then, op->after.at + i, 8);
		memcpy(&was, op->before.at + i, 8);
		memcpy(&is, now + i, 8);
		if (then != was && then != is && is_id(op, i, then))
			learnt[learnt_nr++] = (struct learnt){ then, is };
	}
}

/* What @value is now; the last that was learnt counts. */
static inline uint64_t of_now(uint64_t value)
{
	size_t k;

	for (k = learnt_nr; k > 0; k--)
		if (learnt[k - 1].then == value)
			return learnt[k - 1].now;
	return value;
}

static inline void apply_learnt(unsigned char *arg, size_t size)
{
	uint64_t value;
	size_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		memcpy(&value, arg + i, 8);
		value = of_now(value);
		memcpy(arg + i, &value, 8);
	}
}

#endif
