// SPDX-License-Identifier: GPL-2.0
/*
 * chrony.c - what "chronyc -c -n tracking" prints
 *
 * One line with these fields, separated by commas; times in seconds, frequencies in ppm:
 *
 *   0 reference id   4 correction that is left   8 residual frequency   12 update interval
 *   1 its address    5 last offset               9 skew                 13 leap status
 *   2 stratum        6 mean offset              10 root delay
 *   3 time           7 frequency                11 root dispersion
 *
 * The correction is negative if the clock is ahead, and so is the frequency if it is slow.
 */
#include "source_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "decimal_fraction.h"

enum field {
	REFERENCE, ADDRESS, STRATUM, REF_TIME, CORRECTION, LAST_OFFSET, MEAN_OFFSET, FREQUENCY,
	RESIDUAL, SKEW, ROOT_DELAY, ROOT_DISPERSION, INTERVAL, LEAP, FIELDS
};

#define LINE_MAX_SIZE 512u
#define NS_DIGITS 9
#define PPB_DIGITS 3	/* of ppm */
#define NOT_SYNCED "Not synchronised"

/* Splits the only line, in place, into exactly FIELDS fields. */
static bool split(char *line, char *fields[FIELDS])
{
	char *rest = line, *end = strchr(line, '\n');
	int nr = 0;

	if (!end || end[1])
		return false;
	*end = '\0';
	while (rest && nr < FIELDS)
		fields[nr++] = strsep(&rest, ",");
	return nr == FIELDS && !rest;
}

static bool is_leap_status(const char *text)
{
	static const char *const words[] = { "Normal", "Insert second", "Delete second",
					     NOT_SYNCED };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

/* Reads a number that cannot be negative. */
static bool read_size(const char *text, __s64 *out)
{
	return decimal_fraction(text, NS_DIGITS, out) && *out >= 0;
}

static bool read_numbers(char *const fields[FIELDS], struct source_facts *f)
{
	__s64 correction, frequency;
	__u64 stratum;

	if (!decimal_count(fields[STRATUM], &stratum) || stratum > 255 ||
	    !decimal_fraction(fields[CORRECTION], NS_DIGITS, &correction) ||
	    !decimal_fraction(fields[FREQUENCY], PPB_DIGITS, &frequency) ||
	    !decimal_fraction(fields[SKEW], PPB_DIGITS, &f->skew_ppb) || f->skew_ppb < 0 ||
	    !read_size(fields[ROOT_DELAY], &f->delay_ns) ||
	    !read_size(fields[ROOT_DISPERSION], &f->dispersion_ns))
		return false;
	f->stratum = (__u32)stratum;
	f->offset_ns = -correction;
	f->freq_ppb = -frequency;
	f->has_stratum = f->has_offset = f->has_delay = f->has_dispersion = f->has_frequency = true;
	return true;
}

bool chrony_parse(const char *text, struct source_facts *f)
{
	char line[LINE_MAX_SIZE], *fields[FIELDS];

	*f = (struct source_facts){ 0 };
	if (strlen(text) >= sizeof(line))
		return false;
	strcpy(line, text);
	if (!split(line, fields) || !is_leap_status(fields[LEAP]) ||
	    strspn(fields[REFERENCE], "0123456789ABCDEF") != 8 || fields[REFERENCE][8])
		return false;
	snprintf(f->state, sizeof(f->state), "%s", fields[LEAP]);
	/* Numbers of an earlier time, or zeros, do not apply. */
	if (!strcmp(f->state, NOT_SYNCED))
		return true;
	snprintf(f->reference, sizeof(f->reference), "%s", fields[REFERENCE]);
	return read_numbers(fields, f);
}
