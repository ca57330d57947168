// SPDX-License-Identifier: GPL-2.0
/* event.c - splits an event of Chrome's format into its members */
#include "event.h"

#include <stddef.h>

#define MEMBER(name) { #name, offsetof(struct chrome_event, name) }

static const struct {
	const char *name;
	size_t offset;
} members[] = {
	MEMBER(ph), MEMBER(name), MEMBER(cat), MEMBER(ts), MEMBER(dur), MEMBER(pid), MEMBER(tid),
	MEMBER(id), MEMBER(scope), MEMBER(bind_id), MEMBER(flow_in), MEMBER(flow_out), MEMBER(s),
	MEMBER(sf), MEMBER(stack), MEMBER(esf), MEMBER(estack), MEMBER(args), MEMBER(cpu),
	MEMBER(weight),
};

static struct json_value *member_of(struct chrome_event *e, const struct json_value *key)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (json_is(key, members[i].name))
			return (struct json_value *)((char *)e + members[i].offset);
	return NULL;
}

static int take_id2(struct chrome_event *e, const struct json_value *v)
{
	struct json_iterator it;
	struct json_value key, value;
	int ret;

	if (v->kind != JSON_OBJECT)
		return 0;
	json_enter(&it, v);
	while ((ret = json_next(&it, &key, &value)) == 1)
		if (json_is(&key, "global"))
			e->global = value;
		else if (json_is(&key, "local"))
			e->local = value;
	return ret;
}

int chrome_event_parse(const struct json_value *object, struct chrome_event *e)
{
	struct json_value key, value, *member;
	struct json_iterator it;
	int ret;

	*e = (struct chrome_event){ 0 };
	json_enter(&it, object);
	while ((ret = json_next(&it, &key, &value)) == 1) {
		member = member_of(e, &key);
		if (member) {
			*member = value;
		} else if (json_is(&key, "id2")) {
			ret = take_id2(e, &value);
			if (ret < 0)
				break;
		} else if (e->other_nr < CHROME_OTHERS) {
			e->key[e->other_nr] = key;
			e->value[e->other_nr++] = value;
		}
	}
	if (e->ph.at && e->ph.kind == JSON_STRING && e->ph.size == 1)
		e->phase = *e->ph.at;
	return ret;
}

bool chrome_is_true(const struct json_value *v)
{
	return v->at && (v->kind == JSON_TRUE || (v->kind == JSON_NUMBER && *v->at != '0'));
}
