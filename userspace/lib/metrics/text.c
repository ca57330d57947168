// SPDX-License-Identifier: LGPL-2.1
/* text.c - metrics as OpenMetrics text: https://github.com/prometheus/OpenMetrics */
#include "text.h"

#include <string.h>

#include "base/clock.h"

#define PPM 1000000ull

void metric_begin(FILE *to, const struct metric *m)
{
	fprintf(to, "# TYPE %s %s\n", m->name, m->type);
	if (m->unit)
		fprintf(to, "# UNIT %s %s\n", m->name, m->unit);
	fprintf(to, "# HELP %s %s.\n", m->name, m->help);
}

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", to);
		else if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else
			fputc(*text, to);
	}
}

/* Writes the name of a sample, up to its number. */
static void put_name(FILE *to, const struct metric *m, const char *label, const char *value)
{
	fputs(m->name, to);
	if (!strcmp(m->type, "counter"))
		fputs("_total", to);
	else if (!strcmp(m->type, "info"))
		fputs("_info", to);
	if (label) {
		fprintf(to, "{%s=\"", label);
		put_escaped(to, value);
		fputs("\"}", to);
	}
	fputc(' ', to);
}

void metric_sample(FILE *to, const struct metric *m, const char *label, const char *value,
		   __u64 number)
{
	put_name(to, m, label, value);
	fprintf(to, "%llu\n", (unsigned long long)number);
}

/* Writes @number as a fraction of @whole, a power of ten with @digits zeros. */
static void put_fraction(FILE *to, __u64 number, __u64 whole, int digits)
{
	fprintf(to, "%llu.%0*llu\n", (unsigned long long)(number / whole), digits,
		(unsigned long long)(number % whole));
}

void metric_sample_ns(FILE *to, const struct metric *m, const char *label, const char *value,
		      __u64 ns)
{
	put_name(to, m, label, value);
	put_fraction(to, ns, NS_PER_S, 9);
}

void metric_put(FILE *to, const struct metric *m, __u64 number)
{
	metric_begin(to, m);
	metric_sample(to, m, NULL, NULL, number);
}

void metric_put_ns(FILE *to, const struct metric *m, __u64 ns)
{
	metric_begin(to, m);
	metric_sample_ns(to, m, NULL, NULL, ns);
}

void metric_put_ppm(FILE *to, const struct metric *m, __u64 ppm)
{
	metric_begin(to, m);
	put_name(to, m, NULL, NULL);
	put_fraction(to, ppm, PPM, 6);
}

void metrics_end(FILE *to)
{
	fputs("# EOF\n", to);
}
