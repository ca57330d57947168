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
	" count(error) AS errors,"
	" percentile(duration, 50) AS p50_ns,"
	" percentile(duration, 95) AS p95_ns, percentile(duration, 99) AS p99_ns"
	" FROM syscalls WHERE ret IS NOT NULL GROUP BY name" },
	{ .name = "wakeup_latency",
	  .doc = "how long a thread waited for a CPU once woken: as ktrace sched has it", .view =
	"SELECT tid, max(pid) AS pid, max(comm) AS comm, host, machine, count(*) AS wakeups,"
	" sum(duration) AS total_ns, sum(duration) / count(*) AS mean_ns,"
	" max(duration) AS max_ns,"
	" percentile(duration, 50) AS p50_ns,"
	" percentile(duration, 95) AS p95_ns, percentile(duration, 99) AS p99_ns"
	" FROM wakeups GROUP BY machine, tid" },
	{ .name = "critical_waits",
	  .doc = "how long a thread waited, by the reason, the system call and what ended the wait",
	  .view =
	"SELECT tid, max(pid) AS pid, max(comm) AS comm, host, machine, wait, what, waker_tid,"
	" waker_mode, count(*) AS waits, sum(duration) AS total_ns, max(duration) AS max_ns"
	" FROM waits GROUP BY machine, tid, wait, what, waker_tid, waker_mode" },
	{ .name = "span_tree",
	  .doc = "how long slices of a name took, with and without the slices in them", .view =
	"WITH s AS MATERIALIZED (SELECT * FROM slices), inside AS (SELECT parent,"
	" sum(duration) AS ns FROM s WHERE parent IS NOT NULL GROUP BY parent)"
	" SELECT p.name AS parent, s.name, s.host, s.machine, count(*) AS slices,"
	" sum(s.duration) AS total_ns, sum(s.duration - ifnull(inside.ns, 0)) AS self_ns,"
	" max(s.duration) AS max_ns FROM s LEFT JOIN inside ON inside.parent = s.slice"
	" LEFT JOIN s p ON p.slice = s.parent GROUP BY s.machine, p.name, s.name" },
	{ .name = "locks",
	  .doc = "an object that threads waited for or had: as ktrace contention has it", .view =
	"SELECT lock, kind, address, max(name) AS name, pid, host, machine,"
	" sum(is_wait) AS waits, sum(is_wait * duration) AS wait_ns,"
	" max(is_wait * duration) AS max_wait_ns, sum(NOT is_wait) AS holds,"
	" sum((NOT is_wait) * duration) AS hold_ns, max((NOT is_wait) * duration) AS max_hold_ns"
	" FROM (SELECT lock, kind, address, name, pid, host, machine, duration, 1 AS is_wait"
	" FROM lock_waits WHERE lock IS NOT NULL UNION ALL SELECT lock, kind, address, name,"
	" pid, host, machine, duration, 0 FROM lock_holds) GROUP BY lock, kind" },
	{ .name = "lock_holders",
	  .doc = "which thread held up which one, with which lock: as ktrace contention --holders "
	  "has it", .view =
	"SELECT tid, max(comm) AS comm, holder_tid, lock, kind, address, max(name) AS name, pid,"
	" host, machine, count(*) AS blocks, sum(duration) AS total_ns, max(duration) AS max_ns"
	" FROM lock_blocks GROUP BY machine, tid, holder_tid, lock, kind" },
	{ .name = "samples",
	  .doc = "a sample of an imported profile; its frames are in stacks, with the same time, "
	  "trace and stream, or in the field callchain", .view =
	"SELECT time, ns, cpu, tid, pid, comm, host, trace, stream, error_ns, name,"
	" json_extract(fields, '$.period') AS period,"
	" json_extract(fields, '$.callchain') AS callchain, fields FROM events"
	" WHERE name GLOB 'perf:*' AND name NOT GLOB 'perf:record_*'"
	" OR name GLOB 'sample:*' OR name = 'stack:sample'" },
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
