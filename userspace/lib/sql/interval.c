// SPDX-License-Identifier: LGPL-2.1
/* interval.c - the columns that all tables of intervals begin with */
#include "interval.h"

#include <string.h>

#include "sql.h"

void ktrace_interval_name(struct interval *i, const char *name)
{
	memset(i->comm, 0, sizeof(i->comm));
	strncpy(i->comm, name ? name : "", sizeof(i->comm) - 1);
}

static void result_thread(struct ktrace_out *cell, sqlite3_context *to, const struct interval *i,
			  enum interval_column column)
{
	if (column == INTERVAL_TID && i->has_tid)
		sqlite3_result_int64(to, i->tid);
	else if (column == INTERVAL_PID && i->pid)
		sqlite3_result_int64(to, i->pid);
	else if (column == INTERVAL_COMM && i->comm[0])
		ktrace_result_string(to, cell, i->comm);
}

void ktrace_result_interval(struct ktrace_sql *sql, struct ktrace_out *cell, sqlite3_context *to,
			    const struct interval *i, enum interval_column column)
{
	switch (column) {
	case INTERVAL_TIME:
		ktrace_result_time(to, i->from);
		break;
	case INTERVAL_NS:
		ktrace_result_time(to, ktrace_sql_since(sql, i->from));
		break;
	case INTERVAL_END_TIME:
		if (!i->is_open)
			ktrace_result_time(to, i->to);
		break;
	case INTERVAL_END_NS:
		if (!i->is_open)
			ktrace_result_time(to, ktrace_sql_since(sql, i->to));
		break;
	case INTERVAL_DURATION:
		ktrace_result_time(to, i->to > i->from ? i->to - i->from : 0);
		break;
	case INTERVAL_HOST:
		ktrace_result_string(to, cell, sql->hosts[i->machine].name);
		break;
	case INTERVAL_MACHINE:
		sqlite3_result_int64(to, i->machine);
		break;
	case INTERVAL_CPU:
		if (i->cpu >= 0)
			sqlite3_result_int(to, i->cpu);
		break;
	default:
		result_thread(cell, to, i, column);
	}
}
