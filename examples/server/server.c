// SPDX-License-Identifier: MIT
/*
 * server.c - serves requests until SIGTERM, one of them slowly; for Documentation/tutorial.md
 *
 * Stands for a program that runs for months, and of which only the last minutes before something
 * went wrong are of interest.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(server, request_begin, ktrace_u32(id), ktrace_string(path));
KTRACE_EVENT(server, request_end, ktrace_u32(id), ktrace_enum(u8, how, (CACHED, 0), (READ, 1)));

#define SLOW_REQUEST 60
/* A busy machine holds up other requests too, but none as long. */
#define SLOW_US 900000
#define FAST_US 2000

enum how { CACHED, READ };

static volatile sig_atomic_t is_asked_to_end;

static void ask_to_end(int signal)
{
	(void)signal;
	is_asked_to_end = 1;
}

static enum how serve(unsigned int id)
{
	usleep(id == SLOW_REQUEST ? SLOW_US : FAST_US);
	return id % SLOW_REQUEST ? CACHED : READ;
}

int main(void)
{
	unsigned int id;
	enum how how;

	signal(SIGTERM, ask_to_end);
	for (id = 1; !is_asked_to_end; id++) {
		ktrace(server, request_begin, id, "/index");
		how = serve(id);
		ktrace(server, request_end, id, how);
	}
	printf("%u requests\n", id - 1);
	return 0;
}
