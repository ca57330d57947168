/* SPDX-License-Identifier: GPL-2.0 */
/* ship.h - runs ktrace ship, which sends the parts of a recording to a store */
#ifndef KTRACED_SHIP_H
#define KTRACED_SHIP_H

#include <linux/types.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/fleet_words.h"
#include "base/option_table.h"

/**
 * struct ship_options - options of ktraced, passed on to ktrace ship
 * @url:	--ship, NULL = nothing is sent
 * @creds:	--ship-creds
 * @ca:		--ship-ca
 * @cert:	--ship-cert
 * @key:	--ship-key
 * @rate:	--ship-rate
 * @wait:	--ship-wait
 * @allow:	--ship-allow
 * @labels:	--label, @label_nr of them
 */
struct ship_options {
	const char *url;
	const char *creds;
	const char *ca;
	const char *cert;
	const char *key;
	const char *rate;
	const char *wait;
	const char *allow;
	const char *labels[FLEET_LABEL_NR];
	unsigned int label_nr;
};

/**
 * struct shipper - the process
 * @options:	what to pass on
 * @output:	name from which the names of the parts are made; NULL = nothing is sent
 * @id:		of the session, as text: the program asks it how it goes, for ktrace fleet
 * @mask:	signals that are blocked there
 * @fd:		socket that is its standard input, -1 = it does not run
 * @pid:	its pid, valid while @fd is
 * @next_ns:	CLOCK_MONOTONIC of the next start
 * @delay_ns:	time between its end and the next start, which grows
 * @restarts:	number of these
 */
struct shipper {
	const struct ship_options *options;
	const char *output;
	char id[17];
	sigset_t mask;
	int fd;
	pid_t pid;
	__u64 next_ns;
	__u64 delay_ns;
	unsigned int restarts;
};

/* Refer to a struct ship_options. */
extern const struct option_row ship_options[];
/* Returns what is wrong with the options; NULL: nothing. */
const char *ship_wrong(const struct ship_options *o);
/* Makes a recording that is sent one in parts, as these are sent when they end. */
void ship_split(const struct ship_options *o, __u64 *size, __u64 *ns);

/* Reports, before anything is recorded, that the program is not installed: false. */
bool ship_is_there(const struct ship_options *o);
/*
 * Starts the program if there is a URL. @output must stay valid. @id: of the session; @mask: for
 * the program
 */
void ship_begin(struct shipper *s, const struct ship_options *o, const char *output, __u64 id,
		const sigset_t *mask);
/* Once a second: starts it again if it has ended. Costs a system call. */
void ship_look(struct shipper *s, __u64 now);
/* Returns the pid of the program, 0 = none. */
__u32 ship_pid(const struct shipper *s);
/*
 * Says that the recording is over, its session ended and its last part complete; waits until the
 * program has ended. SIGINT, SIGTERM and SIGHUP, which are blocked, end it before.
 */
void ship_end(struct shipper *s);

#endif
