// SPDX-License-Identifier: GPL-2.0
/* thousand.c - a thousand processes in one stream, each with its events, none of them lost */
#include "suite.h"

#include <sys/wait.h>

#define PAGE "XSH posix_trace_attr_getinherited"
#define PROCESSES 1000
#define EACH 3

static pid_t pids[PROCESSES];
static int processes;	/* so many */

static int process_of(pid_t pid)
{
	for (int i = 0; i < processes; i++)
		if (pids[i] == pid)
			return i;
	return -1;
}

/* All are there at once: each waits for the end of a pipe before it tells. */
static void make_all(trace_event_id_t id)
{
	int gate[2];
	char c;

	need(pipe(gate) ? errno : 0);
	fflush(stdout);
	for (int i = 0; i < processes; i++) {
		pids[i] = fork();
		need(pids[i] < 0 ? errno : 0);
		if (pids[i] == 0) {
			close(gate[1]);
			while (read(gate[0], &c, 1) > 0)
				;
			for (uint64_t k = 0; k < EACH; k++)
				tell(id, k);
			_exit(0);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < processes; i++)
		waitpid(pids[i], NULL, 0);
}

int main(void)
{
	unsigned char seen[PROCESSES] = { 0 };
	trace_event_id_t id = event("of many");
	trace_attr_t attr;
	trace_id_t trid;
	struct seen e;
	int whole = 0, wrong = 0, who;

	processes = (int)often(PROCESSES);
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED));
	need(posix_trace_attr_setstreamsize(&attr, 1 << 20));
	need(posix_trace_create(0, &attr, &trid));
	need(posix_trace_start(trid));
	make_all(id);
	while (try_next(trid, &e)) {
		if (!posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			continue;
		who = process_of(e.info.posix_pid);
		wrong += who < 0 || number_of(&e) != seen[who];
		if (who >= 0)
			seen[who]++;
	}
	for (int i = 0; i < processes; i++)
		whole += seen[i] == EACH;
	same(DESCRIPTION, whole, processes, "all events of all processes are in the stream");
	same(DESCRIPTION, wrong, 0, "those of each in order, with its number");
	same(DESCRIPTION, status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "nothing was lost");
	need(posix_trace_shutdown(trid));
	return done();
}
