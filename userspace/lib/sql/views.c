// SPDX-License-Identifier: LGPL-2.1
/* views.c - views over the tables; temporary ones of the database */
#include "sql.h"

#include <errno.h>

/* Each is "CREATE TEMP VIEW name AS" its text. */
static const struct ktrace_sql_table views[] = {
	{ .name = "processes", .doc = "a process with its threads; one number is one process",
	  .view =
	"SELECT pid, max(ppid) AS ppid,"
	" coalesce(max(comm) FILTER (WHERE tid = pid), max(comm)) AS comm, host, machine,"
	" min(created) AS created, min(seen) AS seen,"
	" CASE WHEN count(*) = count(ended) THEN max(ended) END AS ended,"
	" count(*) AS threads, sum(run_ns) AS run_ns, sum(wait_ns) AS wait_ns,"
	" sum(wait_cpu_ns) AS wait_cpu_ns"
	" FROM threads WHERE pid IS NOT NULL GROUP BY machine, pid" },
	{ .name = "syscall_stats",
	  .doc = "how long calls of a kind took: as ktrace syscalls has it", .view =
	"SELECT name, count(*) AS calls, sum(duration) AS total_ns,"
	" sum(duration) / count(*) AS mean_ns, min(duration) AS min_ns, max(duration) AS max_ns,"
	" count(error) AS errors FROM syscalls WHERE ret IS NOT NULL GROUP BY name" },
	{ .name = "wakeup_latency",
	  .doc = "how long a thread waited for a CPU once woken: as ktrace sched has it", .view =
	"SELECT tid, max(pid) AS pid, max(comm) AS comm, host, machine, count(*) AS wakeups,"
	" sum(duration) AS total_ns, sum(duration) / count(*) AS mean_ns,"
	" max(duration) AS max_ns FROM wakeups GROUP BY machine, tid" },
	{ .name = "run_queue",
	  .doc = "how many threads wait for a CPU, from one change to the next", .view =
	"WITH change AS MATERIALIZED (SELECT machine, host, time, sum(step) AS step FROM ("
	"SELECT machine, host, time, 1 AS step FROM states WHERE status = 'wait-cpu' UNION ALL "
	"SELECT machine, host, end_time, -1 FROM states WHERE status = 'wait-cpu')"
	" GROUP BY machine, time)"
	" SELECT time, lead(time) OVER w AS end_time, sum(step) OVER w AS length, host, machine"
	" FROM change WINDOW w AS (PARTITION BY machine ORDER BY time)" },
	{ .name = NULL },
};

bool ktrace_view(size_t i, struct ktrace_sql_table *view)
{
	if (i >= sizeof(views) / sizeof(views[0]) || !views[i].name)
		return false;
	*view = views[i];
	return true;
}

int ktrace_views_create(struct ktrace_sql *sql)
{
	const struct ktrace_sql_table *v;
	char *text;
	int result;

	for (v = views; v->name; v++) {
		text = sqlite3_mprintf("CREATE TEMP VIEW \"%w\" AS %s", v->name, v->view);
		result = text ? sqlite3_exec(sql->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
		sqlite3_free(text);
		if (result != SQLITE_OK)
			return result == SQLITE_NOMEM ? -ENOMEM : -EINVAL;
	}
	return 0;
}
