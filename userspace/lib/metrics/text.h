/* SPDX-License-Identifier: LGPL-2.1 */
/* text.h - metrics as OpenMetrics text, for Prometheus and others: Documentation/fleet.md */
#ifndef KTRACE_METRICS_TEXT_H
#define KTRACE_METRICS_TEXT_H

#include <linux/types.h>
#include <stdio.h>

/* Of the text, as version 1.0.0 of OpenMetrics says */
#define METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/**
 * struct metric - a metric family
 * @name:	its name, without the suffix that samples of its type have; ends with @unit
 * @type:	"counter", "gauge" or "info"
 * @unit:	"seconds", "bytes" or "ratio"; NULL = none
 * @help:	what it is, in one line without quotes and backslashes
 */
struct metric {
	const char *name;
	const char *type;
	const char *unit;
	const char *help;
};

/* Writes the lines about the family that precede its samples. */
void metric_begin(FILE *to, const struct metric *m);
/* Writes a sample. @label: name of its label, NULL = none; @value: any UTF-8 text, escaped here */
void metric_sample(FILE *to, const struct metric *m, const char *label, const char *value,
		   __u64 number);
/* The same for a family with the unit seconds; the others get it as nanoseconds */
void metric_sample_ns(FILE *to, const struct metric *m, const char *label, const char *value,
		      __u64 ns);
/* Write a family with one sample without a label: a number, nanoseconds, millionths. */
void metric_put(FILE *to, const struct metric *m, __u64 number);
void metric_put_ns(FILE *to, const struct metric *m, __u64 ns);
void metric_put_ppm(FILE *to, const struct metric *m, __u64 ppm);
/* Ends the text. */
void metrics_end(FILE *to);

#endif
