// SPDX-License-Identifier: GPL-2.0
/*
 * ptp4l.c - what pmc prints about the ptp4l of this host
 *
 *	fae4ae.fffe.f4e0a8-0 seq 2 RESPONSE MANAGEMENT CURRENT_DATA_SET
 *		stepsRemoved     1
 *		offsetFromMaster 10.0
 *		meanPathDelay    2835.0
 *
 * Data sets in the order of the requests, members in nanoseconds; there is one PORT_DATA_SET for
 * each port. Unknown data sets and members are skipped.
 */
#include "source_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "decimal_fraction.h"

enum data_set { OTHER_SET, CURRENT_SET, TIME_STATUS, PORT_SET };

/**
 * struct parsing - the answers so far
 * @f:		what has been read
 * @set:	the data set that is being read
 * @has_status:	TIME_STATUS_NP has been read, with @is_slave
 * @is_slave:	there is a grandmaster other than this host
 */
struct parsing {
	struct source_facts *f;
	enum data_set set;
	bool has_status;
	bool is_slave;
};

/* Copies a word of the characters in @allowed, in full or not at all. */
static bool copy_word(char to[SOURCE_WORD_MAX], const char *word, const char *allowed)
{
	const size_t n = strspn(word, allowed);

	if (!n || word[n] || n >= SOURCE_WORD_MAX)
		return false;
	memcpy(to, word, n + 1);
	return true;
}

static void begin_set(struct parsing *p, const char *name)
{
	p->set = !strcmp(name, "CURRENT_DATA_SET") ? CURRENT_SET :
		 !strcmp(name, "TIME_STATUS_NP") ? TIME_STATUS :
		 !strcmp(name, "PORT_DATA_SET") ? PORT_SET : OTHER_SET;
	p->has_status |= p->set == TIME_STATUS;
}

static bool read_current(struct source_facts *f, const char *key, const char *value)
{
	__u64 steps;

	if (!strcmp(key, "stepsRemoved")) {
		f->has_stratum = decimal_count(value, &steps) && steps <= 255;
		f->stratum = f->has_stratum ? (__u32)steps : 0;
		return f->has_stratum;
	}
	if (!strcmp(key, "offsetFromMaster"))
		return f->has_offset = decimal_fraction(value, 0, &f->offset_ns);
	if (!strcmp(key, "meanPathDelay")) {
		if (!decimal_fraction(value, 0, &f->delay_ns))
			return false;
		/* Jitter can make it negative: not a delay. */
		f->has_delay = f->delay_ns >= 0;
	}
	return true;
}

static bool read_status(struct parsing *p, const char *key, const char *value)
{
	if (!strcmp(key, "gmPresent")) {
		p->is_slave = !strcmp(value, "true");
		return p->is_slave || !strcmp(value, "false");
	}
	return strcmp(key, "gmIdentity") ||
	       copy_word(p->f->reference, value, "0123456789abcdef.");
}

/* Keeps the state of the port that receives the time; if there is none, that of the first one. */
static bool read_port(struct source_facts *f, const char *key, const char *value)
{
	char state[SOURCE_WORD_MAX];

	if (strcmp(key, "portState"))
		return true;
	if (!copy_word(state, value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
		return false;
	if (!f->state[0] || !strcmp(state, "SLAVE"))
		strcpy(f->state, state);
	return true;
}

static bool read_member(struct parsing *p, const char *key, const char *value)
{
	switch (p->set) {
	case CURRENT_SET:
		return read_current(p->f, key, value);
	case TIME_STATUS:
		return read_status(p, key, value);
	case PORT_SET:
		return read_port(p->f, key, value);
	case OTHER_SET:
		break;
	}
	return true;
}

static bool read_line(struct parsing *p, char *line)
{
	static const char head[] = " RESPONSE MANAGEMENT ";
	char *name = strstr(line, head), *key, *value;

	if (line[0] != '\t')
		return true;	/* the requests */
	if (line[1] != '\t') {
		if (!name)
			return false;
		name += strlen(head);
		name[strcspn(name, " ")] = '\0';
		begin_set(p, name);
		return true;
	}
	key = line + 2;
	value = key + strcspn(key, " ");
	if (*value)
		*value++ = '\0';
	value += strspn(value, " ");
	value[strcspn(value, " ")] = '\0';
	return read_member(p, key, value);
}

bool ptp4l_parse(const char *text, struct source_facts *f)
{
	struct parsing p = { .f = f };
	char *copy = strdup(text), *rest = copy, *line;
	bool is_known = copy;

	*f = (struct source_facts){ 0 };
	while (is_known && (line = strsep(&rest, "\n")))
		is_known = read_line(&p, line);
	free(copy);
	if (!is_known || !p.has_status || !f->state[0] || !f->has_stratum || !f->has_offset)
		return false;
	/* The offset from itself says nothing. */
	if (!p.is_slave)
		f->has_offset = f->has_delay = false;
	return true;
}
