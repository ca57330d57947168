// SPDX-License-Identifier: GPL-2.0
/*
 * tsdl.c - reads TSDL, the metadata of CTF 1.8
 *
 * The text is read once. Then the fields that tell the reader something get their roles, by their
 * names, as the clocks that they count with may be described after them.
 */
#include "tsdl.h"

#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"
#include "tsdl_type.h"

static bool copy_text(struct tsdl *p, char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to || tsdl_fail(p, "out of memory");
}

static bool set_trace(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_schema *schema = to;

	if (!strcmp(key, "major") && v->number != 1)
		return tsdl_fail(p, "version %llu of CTF is unknown",
				 (unsigned long long)v->number);
	if (strcmp(key, "uuid"))
		return true;
	schema->has_uuid = ctf_uuid_parse(v->text, schema->uuid);
	return schema->has_uuid || tsdl_fail(p, "the UUID of the trace is wrong");
}

static bool set_trace_type(struct tsdl *p, void *to, const char *key, struct ctf_class *class)
{
	struct ctf_schema *schema = to;

	if (!strcmp(key, "packet.header"))
		schema->packet_header = class;
	return class->kind == CTF_STRUCT || tsdl_fail(p, "%s is no struct", key);
}

static bool read_trace(struct tsdl *p)
{
	static const struct tsdl_block block = { set_trace, set_trace_type };

	return tsdl_block(p, &block, p->schema);
}

static bool set_env(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_schema *schema = to;
	struct ctf_env *env = calloc(1, sizeof(*env));

	if (!env)
		return tsdl_fail(p, "out of memory");
	env->next = schema->env;
	schema->env = env;
	env->number = (__s64)v->number;
	return copy_text(p, &env->key, key) &&
	       (v->kind == TSDL_NUMBER || copy_text(p, &env->text, v->text));
}

static bool read_env(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = set_env };

	return tsdl_block(p, &block, p->schema);
}

static bool set_clock(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_clock *clock = to;

	if (!strcmp(key, "name"))
		return copy_text(p, &clock->name, v->text) && copy_text(p, &clock->id, v->text);
	if (!strcmp(key, "uuid"))
		return copy_text(p, &clock->uid, v->text);
	if (!strcmp(key, "freq"))
		clock->hz = v->number;
	else if (!strcmp(key, "offset"))
		clock->cycles = v->number;
	else if (!strcmp(key, "offset_s"))
		clock->seconds = (__s64)v->number;
	return true;
}

static struct ctf_clock *new_clock(struct tsdl *p, const char *id)
{
	struct ctf_clock *clock = calloc(1, sizeof(*clock));

	if (!clock || !copy_text(p, &clock->id, id)) {
		tsdl_fail(p, "out of memory");
		free(clock);
		return NULL;
	}
	clock->hz = 1000000000;
	clock->is_epoch = true;
	clock->next = p->schema->clocks;
	p->schema->clocks = clock;
	return clock;
}

static bool read_clock(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = set_clock };
	struct ctf_clock *clock = new_clock(p, "");

	if (!clock || !tsdl_block(p, &block, clock))
		return false;
	return clock->hz || tsdl_fail(p, "a clock without a frequency");
}

static bool set_stream(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_stream_class *stream = to;

	(void)p;
	if (!strcmp(key, "id"))
		stream->id = v->number;
	return true;
}

static bool set_stream_type(struct tsdl *p, void *to, const char *key, struct ctf_class *class)
{
	struct ctf_stream_class *stream = to;

	if (!strcmp(key, "packet.context"))
		stream->packet_context = class;
	else if (!strcmp(key, "event.header"))
		stream->event_header = class;
	else if (!strcmp(key, "event.context"))
		stream->common = class;
	return class->kind == CTF_STRUCT || tsdl_fail(p, "%s is no struct", key);
}

static struct ctf_stream_class *new_stream(struct tsdl *p)
{
	struct ctf_stream_class *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		tsdl_fail(p, "out of memory");
		return NULL;
	}
	stream->next = p->schema->streams;
	p->schema->streams = stream;
	return stream;
}

static bool read_stream(struct tsdl *p)
{
	static const struct tsdl_block block = { set_stream, set_stream_type };
	struct ctf_stream_class *stream = new_stream(p);

	return stream && tsdl_block(p, &block, stream);
}

static bool set_event(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_event_class *event = to;

	if (!strcmp(key, "name"))
		return copy_text(p, &event->name, v->text);
	if (!strcmp(key, "id"))
		event->id = v->number;
	else if (!strcmp(key, "stream_id"))
		event->stream = v->number;
	return true;
}

static bool set_event_type(struct tsdl *p, void *to, const char *key, struct ctf_class *class)
{
	struct ctf_event_class *event = to;

	if (!strcmp(key, "fields"))
		event->payload = class;
	else if (!strcmp(key, "context"))
		event->specific = class;
	return class->kind == CTF_STRUCT || tsdl_fail(p, "%s is no struct", key);
}

static bool read_event(struct tsdl *p)
{
	static const struct tsdl_block block = { set_event, set_event_type };
	const struct ctf_stream_class *only = p->schema->streams;
	struct ctf_event_class *event = calloc(1, sizeof(*event));

	if (!event)
		return tsdl_fail(p, "out of memory");
	/* Without the number of a stream it is of the only one. */
	if (only && !only->next)
		event->stream = only->id;
	if (!tsdl_block(p, &block, event)) {
		free(event->name);
		free(event);
		return false;
	}
	ctf_schema_add_event(p->schema, event);
	return true;
}

static bool ignore(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	(void)p;
	(void)to;
	(void)key;
	(void)v;
	return true;
}

static bool read_callsite(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = ignore };

	return tsdl_block(p, &block, NULL);
}

static const struct {
	const char *name;
	bool (*read)(struct tsdl *p);
} blocks[] = {
	{ "trace", read_trace },
	{ "env", read_env },
	{ "clock", read_clock },
	{ "stream", read_stream },
	{ "event", read_event },
	{ "callsite", read_callsite },
};

static bool read_block(struct tsdl *p)
{
	if (tsdl_is_declaration(p))
		return tsdl_declaration(p);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (tsdl_is(&p->lex, blocks[i].name)) {
			tsdl_next(&p->lex);
			return blocks[i].read(p) && tsdl_expect(p, ';');
		}
	return tsdl_fail(p, "no block begins with this");
}

/* Finds the byte order of the trace, which also types before it use. */
static void find_order(struct tsdl *p, const char *text)
{
	unsigned int depth = 0;
	bool is_trace = false, is_order = false;

	p->lex.at = text;
	for (tsdl_next(&p->lex); p->lex.kind != TSDL_END; tsdl_next(&p->lex)) {
		if (is_order && p->lex.kind == TSDL_NAME) {
			p->is_big = tsdl_is(&p->lex, "be") || tsdl_is(&p->lex, "network");
			break;
		}
		if (p->lex.kind == '{')
			depth++;
		else if (p->lex.kind == '}' && depth)
			depth--;
		else if (!depth && p->lex.kind == TSDL_NAME)
			is_trace = tsdl_is(&p->lex, "trace");
		else if (depth == 1 && is_trace && tsdl_is(&p->lex, "byte_order"))
			is_order = true;
	}
	p->lex.at = text;
	p->lex.line = 1;
}

static const struct {
	enum ctf_scope scope;
	const char *name;
	enum ctf_role role;
} roles[] = {
	{ CTF_PACKET_HEADER, "magic", CTF_ROLE_MAGIC },
	{ CTF_PACKET_HEADER, "uuid", CTF_ROLE_UUID },
	{ CTF_PACKET_HEADER, "stream_id", CTF_ROLE_STREAM_CLASS },
	{ CTF_PACKET_HEADER, "stream_instance_id", CTF_ROLE_STREAM },
	{ CTF_PACKET_CONTEXT, "content_size", CTF_ROLE_CONTENT },
	{ CTF_PACKET_CONTEXT, "packet_size", CTF_ROLE_TOTAL },
	{ CTF_PACKET_CONTEXT, "timestamp_begin", CTF_ROLE_TIME },
	{ CTF_PACKET_CONTEXT, "timestamp_end", CTF_ROLE_END_TIME },
	{ CTF_PACKET_CONTEXT, "events_discarded", CTF_ROLE_DISCARDED },
	{ CTF_PACKET_CONTEXT, "packet_seq_num", CTF_ROLE_SEQUENCE },
	{ CTF_EVENT_HEADER, "id", CTF_ROLE_EVENT_CLASS },
	{ CTF_EVENT_HEADER, "timestamp", CTF_ROLE_TIME },
};

static unsigned int role_of(enum ctf_scope scope, const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (roles[i].scope == scope && !strcmp(roles[i].name, name))
			return roles[i].role;
	return 0;
}

/* Finds the clock of a number; one that names none counts with the only clock, or with ns. */
static const struct ctf_clock *clock_of(struct tsdl *p, const char *id)
{
	const struct ctf_clock *c = p->schema->clocks;

	if (!id && (!c || !c->next))
		return c ? c : new_clock(p, "default");
	while (c && id && strcmp(c->id, id))
		c = c->next;
	if (!c || !id)
		tsdl_fail(p, "the clock of a stream is not described");
	return id ? c : NULL;
}

/* struct naming - gives fields their roles; @clock: first clock that they count with */
struct naming {
	struct tsdl *p;
	enum ctf_scope scope;
	const struct ctf_clock *clock;
};

static bool give_uuid(struct naming *n, struct ctf_member *m)
{
	const struct ctf_class *old = m->class;

	if (old->kind != CTF_ARRAY || !old->is_fixed || old->layout->length != 16 ||
	    old->inner->kind > CTF_SIGNED || old->inner->layout->length != 8)
		return true;
	m->class = ctf_schema_class(n->p->schema, CTF_BYTES);
	if (!m->class)
		return tsdl_fail(n->p, "out of memory");
	m->class->is_fixed = true;
	m->class->layout->length = 16;
	m->class->layout->align = 8;
	m->class->layout->roles = CTF_ROLE_UUID;
	return true;
}

/* Gives a number its role; it gets a class of its own, as other fields share its class. */
static bool give_role(struct naming *n, struct ctf_member *m)
{
	const char *id = m->class->layout->clock;
	unsigned int role = role_of(n->scope, m->key);

	if (m->class->kind != CTF_UNSIGNED || m->class->layout->roles)
		return true;
	if (!role && id && n->scope >= CTF_PACKET_CONTEXT)
		role = CTF_ROLE_TIME;
	if (!role)
		return true;
	if (role & (CTF_ROLE_TIME | CTF_ROLE_END_TIME) && !n->clock) {
		n->clock = clock_of(n->p, id);
		if (!n->clock)
			return false;
	}
	m->class = ctf_schema_copy(n->p->schema, m->class);
	if (!m->class)
		return tsdl_fail(n->p, "out of memory");
	m->class->layout->roles = role;
	return true;
}

static bool give_roles(struct naming *n, struct ctf_class *class)
{
	bool is_fine = true;

	for (__u32 i = 0; class && i < class->member_nr && is_fine; i++) {
		struct ctf_member *m = &class->members[i];

		if (n->scope == CTF_PACKET_HEADER && !strcmp(m->key, "uuid"))
			is_fine = give_uuid(n, m);
		else if (m->class->kind == CTF_STRUCT || m->class->kind == CTF_VARIANT)
			is_fine = give_roles(n, m->class);
		else
			is_fine = give_role(n, m);
	}
	return is_fine;
}

/* Finds the clock of a stream whose classes already have their roles, from another stream. */
static const char *clock_in(const struct ctf_class *class)
{
	const char *id = NULL;

	if (class && class->kind == CTF_UNSIGNED && class->layout->roles & CTF_ROLE_TIME)
		return class->layout->clock ? class->layout->clock : "";
	for (__u32 i = 0; class && i < class->member_nr && !id; i++)
		id = clock_in(class->members[i].class);
	return id;
}

static bool name_stream(struct tsdl *p, struct ctf_stream_class *stream)
{
	struct naming n = { .p = p, .scope = CTF_EVENT_HEADER };
	const char *id;

	if (!give_roles(&n, stream->event_header))
		return false;
	n.scope = CTF_PACKET_CONTEXT;
	if (!give_roles(&n, stream->packet_context))
		return false;
	id = n.clock ? NULL : clock_in(stream->event_header);
	if (!n.clock && !id)
		id = clock_in(stream->packet_context);
	stream->clock = id ? clock_of(p, *id ? id : NULL) : n.clock;
	return true;
}

static bool name_all(struct tsdl *p)
{
	struct naming header = { .p = p, .scope = CTF_PACKET_HEADER };

	if (!p->schema->streams && !new_stream(p))
		return false;
	if (!give_roles(&header, p->schema->packet_header))
		return false;
	for (struct ctf_stream_class *s = p->schema->streams; s; s = s->next)
		if (!name_stream(p, s))
			return false;
	return true;
}

bool tsdl_parse(struct ctf_schema *schema, const char *path, const char *text)
{
	struct tsdl *p = calloc(1, sizeof(*p));
	struct tsdl_scope scope;
	bool is_fine = true;

	if (!p) {
		complain_about(path, "out of memory");
		return false;
	}
	p->schema = schema;
	find_order(p, text);
	tsdl_enter(p, &scope);
	tsdl_next(&p->lex);
	while (is_fine && p->lex.kind != TSDL_END)
		is_fine = read_block(p);
	if (!is_fine)
		complain_about(path, "line %u: %s", p->lex.line, p->error);
	p->error[0] = 0;
	tsdl_leave(p);
	if (!name_all(p)) {
		complain_about(path, "%s", p->error);
		is_fine = false;
	}
	tsdl_lex_free(&p->lex);
	free(p);
	return is_fine;
}
