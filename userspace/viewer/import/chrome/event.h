/* SPDX-License-Identifier: GPL-2.0 */
/* event.h - the members of one event of Chrome's format */
#ifndef VIEWER_IMPORT_CHROME_EVENT_H
#define VIEWER_IMPORT_CHROME_EVENT_H

#include "json.h"

#define CHROME_OTHERS 16

/**
 * struct chrome_event - an object of traceEvents or samples; members it lacks have @at NULL
 * @ph:		phase
 * @global:	id2.global; @local: id2.local
 * @key:	names of members that this format does not have, @value: their values
 * @other_nr:	number of them
 * @phase:	the letter of @ph, 0 = none
 */
struct chrome_event {
	struct json_value ph, name, cat, ts, dur, pid, tid;
	struct json_value id, global, local, scope, bind_id, flow_in, flow_out;
	struct json_value s, sf, stack, esf, estack, args;
	struct json_value cpu, weight;
	struct json_value key[CHROME_OTHERS], value[CHROME_OTHERS];
	int other_nr;
	char phase;
};

/* Splits up an object. Return: 0, -EINVAL: not JSON. */
int chrome_event_parse(const struct json_value *object, struct chrome_event *out);
/* True if a member is there and true. */
bool chrome_is_true(const struct json_value *v);

#endif
