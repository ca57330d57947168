/* SPDX-License-Identifier: GPL-2.0 */
/* source_facts.h - what a program says that synchronises a clock, from its untrusted output */
#ifndef KTRACED_CLOCKS_SOURCE_FACTS_H
#define KTRACED_CLOCKS_SOURCE_FACTS_H

#include <ktrace/tracefile.h>
#include <stdbool.h>

#define SOURCE_WORD_MAX 40

/**
 * struct source_facts - as in struct ktrace_time_source
 * @state:	its word, empty = not stated
 * @reference:	where its time is from, empty = not stated
 */
struct source_facts {
	char state[SOURCE_WORD_MAX];
	char reference[SOURCE_WORD_MAX];
	bool has_stratum;
	bool has_offset;
	bool has_delay;
	bool has_dispersion;
	bool has_frequency;
	__u32 stratum;
	__s64 offset_ns;
	__s64 delay_ns;
	__s64 dispersion_ns;
	__s64 freq_ppb;
	__s64 skew_ppb;
};

/* Appends them to a META line. */
void source_facts_put(const struct source_facts *f, struct ktrace_text *t);

/*
 * Read what "chronyc -c tracking" and pmc print. Return: false if that is in an unknown form; @f is
 * undefined then.
 */
bool chrony_parse(const char *text, struct source_facts *f);
bool ptp4l_parse(const char *text, struct source_facts *f);

#endif
