/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * span_join.h - a virtual table of the intersections of two tables of intervals
 *
 *	CREATE VIRTUAL TABLE temp.both USING span_join(states, syscalls, machine, tid);
 *
 * joins rows of the two tables, or of queries in parentheses, that have equal values in the columns
 * named after them, and whose intervals from time to end_time overlap. An end_time that is NULL is
 * after all others. Unlike a join by conditions, both are read once, and only intervals that are
 * open at the same time are in memory; SQLite sorts both before.
 */
#ifndef KTRACE_SQL_SPAN_JOIN_H
#define KTRACE_SQL_SPAN_JOIN_H

struct ktrace_sql;

#define SPAN_JOIN "span_join"

/* Makes the module known. Return: 0, -ENOMEM. */
int ktrace_span_join_add(struct ktrace_sql *sql);

#endif
