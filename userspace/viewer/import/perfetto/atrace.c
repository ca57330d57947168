// SPDX-License-Identifier: GPL-2.0
/* atrace.c - reads marks, and converts them like events of tracks */
#include "atrace.h"

#include "convert.h"
#include "import/atrace.h"

#include <errno.h>
#include <string.h>

/* Numbers of generated tracks of threads begin with this. */
#define THREAD_UUID 0x6174726163000000ull
/* Bytes of a mark; the kernel keeps no longer text. */
#define MARK_MAX 4096u

/*
 * struct mark - the parts of a mark
 * phase: its letter; pid: the process, 0 = not given; name; track: NULL = none; value: of a
 * counter, or the number of a span
 */
struct mark {
	char phase;
	__u32 pid;
	const char *name;
	const char *track;
	__s64 value;
	char text[2][MARK_MAX];
};

static const char *copy(char to[MARK_MAX], const char *from, size_t size)
{
	if (size)
		memcpy(to, from, size);
	to[size] = '\0';
	return to;
}

/* Reads a mark. Return: 1, 0: the text is none, -1: its parts are wrong. */
static int read_mark(struct mark *m, const char *text)
{
	const size_t size = strlen(text);
	struct atrace_mark parsed;

	if (size >= MARK_MAX || !atrace_parse(text, size, &parsed))
		return atrace_is_like(text, size) ? -1 : 0;
	m->phase = parsed.phase;
	m->pid = parsed.pid;
	m->name = copy(m->text[0], parsed.name, parsed.name_size);
	m->track = parsed.track ? copy(m->text[1], parsed.track, parsed.track_size) : NULL;
	m->value = parsed.phase == 'C' ? parsed.value : parsed.id;
	return 1;
}

int atrace_take(struct conversion *c, const struct spooled *e, const char *text)
{
	struct spooled mark = *e;
	struct mark m;
	const int is_mark = text ? read_mark(&m, text) : 0;

	c->marks_bad += is_mark < 0;
	if (is_mark <= 0)
		return 1;
	c->payload.len = 0;
	ktrace_out_bytes(&c->payload, text, strlen(text) + 1);
	mark.is_mark = true;
	return event_spool(c, mark);
}

/* Returns the track of a thread's own spans. */
static struct track *thread_track(struct conversion *c, const struct spooled *e)
{
	struct track *track = tracks_get(&c->tracks, THREAD_UUID + e->tid);

	if (!track)
		return NULL;
	track->tid = e->tid;
	track->pid = e->pid;
	if (*e->comm)
		memcpy(track->name, e->comm, sizeof(e->comm));
	return track;
}

static const char letters[] = "BEISFNGH";
static const char phases[] = "BEISFTSF";

/* Puts a mark as an event of Chrome's macros, which have the same kinds. */
static int put_event(struct conversion *c, const struct mark *m, const struct spooled *e)
{
	Perfetto__Protos__TrackEvent__LegacyEvent legacy =
		PERFETTO__PROTOS__TRACK_EVENT__LEGACY_EVENT__INIT;
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	Perfetto__Protos__TracePacket p = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	char category[] = "atrace", *categories[] = { category };
	const bool is_own = strchr("BEI", m->phase);
	struct track *track;

	legacy.has_phase = true;
	legacy.phase = phases[strchr(letters, m->phase) - letters];
	legacy.has_local_id = !is_own;
	legacy.local_id = (__u64)m->value;
	legacy.id_scope = (char *)m->track;
	event.legacy_event = &legacy;
	event.n_categories = 1;
	event.categories = categories;
	event.name = m->phase == 'E' || m->phase == 'H' ? NULL : (char *)m->name;
	p.track_event = &event;
	p.trusted_pid = (__s32)e->pid;
	if (!is_own)
		return convert_async(c, &p, m->track ? m->track : m->name);
	track = thread_track(c, e);
	return track ? convert_on_track(c, &p, track) : -ENOMEM;
}

int atrace_put(struct conversion *c, const struct spooled *e, const char *data)
{
	struct sequence *before = c->sequence;
	struct spooled at = *e;
	struct sequence own = { 0 };
	struct track_thread main;
	struct mark m;
	int ret;

	if (read_mark(&m, data) <= 0)
		return 0;
	at.pid = m.pid ? m.pid : e->pid;
	own.pid = at.pid;
	c->sequence = &own;
	c->ts = e->ts;
	c->tail = data + strlen(data) + 1;
	c->tail_size = e->len - strlen(data) - 1;
	main = (struct track_thread){ .tid = at.pid & KTRACE_TID_MASK, .pid = at.pid,
				      .comm = tracks_main(&c->tracks, at.pid) };
	if (m.phase == 'C')
		ret = counter_put(c, m.name, true, m.value, 0, &main);
	else
		ret = put_event(c, &m, &at);
	c->sequence = before;
	c->tail_size = 0;
	return ret;
}
