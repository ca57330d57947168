/* SPDX-License-Identifier: GPL-2.0 */
/* fleet.h - how recordings of many hosts go, and commands for them */
#ifndef VIEWER_FLEET_FLEET_FLEET_H
#define VIEWER_FLEET_FLEET_FLEET_H

#include "answers.h"
#include "base/fleet_words.h"

/**
 * struct fleet - the command line
 * @options:	the broker
 * @wait_ms:	--wait
 * @host:	--host, NULL = all
 * @labels:	--label, @label_nr of them
 * @store:	--store, NULL = none
 * @is_json:	--json
 * @action:	index of fleet_actions, FLEET_ACTION_NR = show how recordings go
 * @value:	what follows it, NULL = nothing
 */
struct fleet {
	struct broker_options options;
	__u64 wait_ms;
	const char *host;
	const char *labels[FLEET_LABEL_NR];
	unsigned int label_nr;
	const char *store;
	bool is_json;
	size_t action;
	const char *value;
};

/* show.c */

/* Writes a table, or JSON, of the recordings that are meant. */
void show_list(const struct fleet *f, const struct answers *all);
/* The same of what became of a command; returns true if all have done it. */
bool show_results(const struct fleet *f, const struct answers *all);
/*
 * Writes hosts of the store's folder that have not answered, as further rows. Returns their number,
 * or -errno.
 */
int show_absent(const struct fleet *f, const struct answers *all);
/* True if the options mean a host. */
bool fleet_means_host(const struct fleet *f, const char *folder);

#endif
