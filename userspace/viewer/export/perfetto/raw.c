// SPDX-License-Identifier: GPL-2.0
/*
 * raw.c - writes the original packets of an imported trace, unchanged and in order
 *
 * Only for a trace that is exported as a whole: packets of a part would refer to names in packets
 * outside of it, so its events are converted like those of any other trace.
 */
#include "perfetto.h"

#include "base/grow.h"
#include "import/perfetto_packet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct raw_packet - a packet; at: offset of its bytes in p->raw_bytes */
struct raw_packet {
	__u64 number;
	size_t at;
	__u32 size;
};

static bool has_packets(const struct ktrace_trace *t)
{
	const char *tool = ktrace_trace_meta(t, "trace", "backend");

	return tool && !strcmp(tool, PERFETTO_PACKET_TOOL);
}

void raw_begin(struct perfetto *p)
{
	const struct time_range *s = &p->x->scope;
	const struct ktrace_trace *found = NULL, *t;
	size_t nr = 0, with = 0;

	for (; (t = ktrace_traceset_trace(p->x->set, nr)); nr++) {
		if (!has_packets(t))
			continue;
		found = t;
		with++;
	}
	/* Requires a single such trace, as ids of sequences and clocks are those of one trace. */
	if (with == 1 && !s->since.is_set && !s->until.is_set &&
	    !event_select_has_conditions(&s->select))
		p->raw = found;
	p->is_mixed = p->x->is_apart || p->raw;
}

static int keep(struct perfetto *p, const struct perfetto_packet *head, const char *bytes)
{
	if (!LIST_GROW(p->raw_packets, p->raw_nr, p->raw_cap))
		return -ENOMEM;
	p->raw_bytes.flush = output_grow;
	p->raw_packets[p->raw_nr++] = (struct raw_packet){
		.number = head->number, .at = p->raw_bytes.len, .size = head->size,
	};
	ktrace_out_bytes(&p->raw_bytes, bytes, head->size);
	return p->raw_bytes.error;
}

bool raw_take(struct perfetto *p, const struct ktrace_trace_event *e)
{
	struct perfetto_packet head;
	struct ktrace_values it;
	struct ktrace_value v;
	const char *end = e->payload + e->len;

	/*
	 * The file of a session also contains events recorded by ktrace itself, which are in
	 * rings.
	 */
	if (!p->raw || e->stream->trace != p->raw || e->stream->policy != KTRACE_POLICY_NR)
		return false;
	if (!e->type || e->id == KTRACE_ID_LOST)
		return true;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		;
	if ((size_t)(end - it.at) < sizeof(head))
		return true;
	memcpy(&head, it.at, sizeof(head));
	if (head.magic == PERFETTO_PACKET_MAGIC &&
	    head.size <= (size_t)(end - it.at) - sizeof(head))
		p->error = keep(p, &head, it.at + sizeof(head));
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct raw_packet *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

void raw_end(struct perfetto *p)
{
	size_t i;

	if (p->raw_nr)
		qsort(p->raw_packets, p->raw_nr, sizeof(*p->raw_packets), compare);
	for (i = 0; i < p->raw_nr && !p->error; i++)
		bytes_append(p->out, 1, p->raw_bytes.buf + p->raw_packets[i].at,
			     p->raw_packets[i].size);
	free(p->raw_packets);
	free(p->raw_bytes.buf);
}
