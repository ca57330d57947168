// SPDX-License-Identifier: GPL-2.0
/*
 * model.c - random operations on several streams, beside a model that says what must come of them
 *
 * usage: model [SEED [STEPS]]
 *
 * The model knows which events are in a stream, and in which order they are read; when a stream
 * is full it learns from the status, as implementations need different room for an event. All
 * else it knows itself: every state after every operation, what is lost and how that is told,
 * what START, STOP, FILTER, OVERFLOW and RESUME say. What differs is a failure, which is shown
 * with its seed and step; the same seed does the same again.
 *
 * PTRC-21, PTRC-30, PTRC-40, PTRC-41, PTRC-52, PTRC-60, PTRC-61
 */
#include "suite.h"

#define PAGE "XSH 2.11"
#define STREAMS 4
#define TYPES 5
#define QUEUE (1u << 16)

struct item {
	trace_event_id_t id;
	uint64_t number;	/* of user events */
	int data;		/* of STOP */
	bool lazy;		/* may come only with the next one */
	bool optional;		/* may not come at all */
};

struct model {
	trace_id_t trid;
	int policy;
	bool running, full;
	bool by_itself;		/* stopped because it was full */
	bool lost;		/* OVERFLOW and RESUME are due */
	bool filter[TYPES];
	struct item queue[QUEUE];
	unsigned int head, tail;
};

static struct model *models;
static trace_event_id_t types[TYPES];
static unsigned int random_state, step, seed, failures;
static unsigned int emitted, read_back, overflows, stops;	/* how much of it there was */
static uint64_t number;

static unsigned int below(unsigned int n)
{
	return rand_r(&random_state) % n;
}

static void wrong(const struct model *m, const char *what)
{
	if (failures++ < 5)
		note("seed %u, step %u, stream %d (policy %d): %s", seed, step, (int)(m - models),
		     m->policy, what);
}

static struct item *push(struct model *m, trace_event_id_t id, uint64_t n)
{
	struct item *i = &m->queue[m->tail++ % QUEUE];

	*i = (struct item){ .id = id, .number = n };
	return i;
}

static bool empty(const struct model *m)
{
	return m->head == m->tail;
}

/* The stream has room again after it had stopped by itself. */
static void restarted(struct model *m)
{
	m->running = true;
	m->by_itself = false;
	m->full = false;
	push(m, POSIX_TRACE_START, 0)->lazy = true;
}

static void loops(struct model *m, const struct posix_trace_status_info *s)
{
	if ((s->posix_stream_status == POSIX_TRACE_RUNNING) != m->running)
		wrong(m, "a stream that loops runs, or not, against orders");
	m->full = s->posix_stream_full_status == POSIX_TRACE_FULL;
	if (s->posix_stream_overrun_status == POSIX_TRACE_OVERRUN) {
		m->lost = true;
		if (!m->full)
			wrong(m, "events are lost in a stream that is not full");
	}
}

/* @newest: the newest item in the queue may have been lost */
static void ends(struct model *m, const struct posix_trace_status_info *s, bool newest)
{
	bool runs = s->posix_stream_status == POSIX_TRACE_RUNNING;
	bool full = s->posix_stream_full_status == POSIX_TRACE_FULL;

	if (runs && full) {
		wrong(m, "a stream that ends when full runs full");
	} else if (m->running && !runs && full) {
		if (newest && s->posix_stream_overrun_status == POSIX_TRACE_OVERRUN)
			m->tail--;
		m->running = false;
		m->by_itself = true;
		m->full = true;
		push(m, POSIX_TRACE_STOP, 0)->data = 1;
		stops++;
	} else if (m->by_itself && runs && !full) {
		restarted(m);
	} else if (m->running != runs) {
		wrong(m, "a stream runs, or not, against orders");
	}
	if (m->by_itself && empty(m))
		wrong(m, "an empty stream that had stopped by itself does not go on");
	m->full = full;
}

/* The status after an operation; @newest as for ends(); @want: whether a loss has to be said */
static void look(struct model *m, bool newest, bool want)
{
	struct posix_trace_status_info s = status(m->trid);
	bool ran = m->running;

	if (want && s.posix_stream_overrun_status != POSIX_TRACE_OVERRUN)
		wrong(m, "an event was lost, and that is not said");
	if (!want && !(newest && ran) && s.posix_stream_overrun_status == POSIX_TRACE_OVERRUN)
		wrong(m, "nothing was lost, and something is said to be");
	if (m->policy == POSIX_TRACE_LOOP)
		loops(m, &s);
	else
		ends(m, &s, newest);
}

static void emit(void)
{
	unsigned int type = below(TYPES);
	unsigned char data[64] = { 0 };
	size_t len = sizeof(number) + below(sizeof(data) - sizeof(number));

	number++;
	emitted++;
	memcpy(data, &number, sizeof(number));
	posix_trace_event(types[type], data, len);
	for (struct model *m = models; m < models + STREAMS; m++) {
		bool recorded_there = m->running && !m->filter[type];
		bool lost_there = m->by_itself && m->full && !m->filter[type];

		if (recorded_there)
			push(m, types[type], number);
		look(m, recorded_there, lost_there);
	}
}

/* Now and then as many as no small stream has room for */
static void emit_some(void)
{
	unsigned int n = below(150) ? 1 : below(4000);

	while (n--)
		emit();
}

static void start(struct model *m)
{
	/* What was told to stop while full stays so until its STOP has been read. */
	const bool is_full = m->policy != POSIX_TRACE_LOOP && m->full;

	need(posix_trace_start(m->trid));
	if (!m->running && !m->by_itself && !is_full) {
		m->running = true;
		push(m, POSIX_TRACE_START, 0);
	}
	look(m, m->running, false);
}

static void stop(struct model *m)
{
	need(posix_trace_stop(m->trid));
	if (m->running)
		push(m, POSIX_TRACE_STOP, 0);
	m->running = false;
	m->by_itself = false;
	look(m, false, false);
}

static void clear(struct model *m)
{
	bool again = m->by_itself;
	struct item *start_again;

	need(posix_trace_clear(m->trid));
	m->head = m->tail;
	m->lost = false;
	m->full = false;
	memset(m->filter, 0, sizeof(m->filter));
	if (again) {
		m->running = true;
		m->by_itself = false;
		start_again = push(m, POSIX_TRACE_START, 0);
		start_again->lazy = true;
	}
	look(m, false, false);
	if (m->full)
		wrong(m, "a stream is full when it has been cleared");
}

static void filter(struct model *m)
{
	int how = POSIX_TRACE_SET_EVENTSET, ways[] = { POSIX_TRACE_SET_EVENTSET,
						       POSIX_TRACE_ADD_EVENTSET,
						       POSIX_TRACE_SUB_EVENTSET };
	trace_event_set_t set;
	bool member;

	how = ways[below(3)];
	need(posix_trace_eventset_empty(&set));
	for (int i = 0; i < TYPES; i++) {
		member = below(4) == 0;
		if (member)
			need(posix_trace_eventset_add(types[i], &set));
		if (how == POSIX_TRACE_SET_EVENTSET)
			m->filter[i] = member;
		else if (member)
			m->filter[i] = how == POSIX_TRACE_ADD_EVENTSET;
	}
	need(posix_trace_set_filter(m->trid, &set, how));
	if (m->running)
		push(m, POSIX_TRACE_FILTER, 0);
	look(m, m->running, false);
}

static bool is(const struct seen *e, trace_event_id_t id)
{
	return posix_trace_eventid_equal(models[0].trid, e->info.posix_event_id, id);
}

/* The number at the start of an event's data */
static uint64_t number_at(const struct seen *e)
{
	uint64_t n = 0;

	if (e->len >= sizeof(n))
		memcpy(&n, e->data, sizeof(n));
	return n;
}

static bool fits(const struct model *m, const struct item *i, const struct seen *e)
{
	int automatic = 0;

	if (!posix_trace_eventid_equal(m->trid, i->id, e->info.posix_event_id))
		return false;
	if (is(e, POSIX_TRACE_STOP)) {
		memcpy(&automatic, e->data, sizeof(automatic));
		return e->len == sizeof(automatic) && !automatic == !i->data;
	}
	return i->number == 0 || number_at(e) == i->number;
}

/* OVERFLOW has come: RESUME has to, and then an event that is still there. */
static void resumed(struct model *m, struct seen *e)
{
	struct timespec stamp;

	if (!try_next(m->trid, e) || !is(e, POSIX_TRACE_RESUME)) {
		wrong(m, "OVERFLOW is not followed by RESUME");
		return;
	}
	stamp = e->info.posix_timestamp;
	m->lost = false;
	if (!try_next(m->trid, e)) {
		wrong(m, "RESUME is not followed by an event");
		return;
	}
	if (stamp.tv_sec != e->info.posix_timestamp.tv_sec ||
	    stamp.tv_nsec != e->info.posix_timestamp.tv_nsec)
		wrong(m, "RESUME has not the stamp of the first valid event");
	while (!empty(m) && !fits(m, &m->queue[m->head % QUEUE], e))
		m->head++;
	if (empty(m))
		wrong(m, "the event behind RESUME was never told");
	else
		m->head++;
}

/* What came, and what should have */
static void another(const struct model *m, const struct seen *e)
{
	const struct item *i = empty(m) ? NULL : &m->queue[m->head % QUEUE];
	char text[200];

	snprintf(text, sizeof(text),
		 "type %u, number %llu, %zu bytes, where type %u, number %llu of %u was to come",
		 e->info.posix_event_id, (unsigned long long)number_at(e), e->len, i ? i->id : 0,
		 i ? (unsigned long long)i->number : 0, m->tail - m->head);
	wrong(m, text);
}

/* Return: whether there was an event */
static bool read_one(struct model *m)
{
	struct seen e;

	if (!try_next(m->trid, &e)) {
		if (!empty(m) && m->lost)
			wrong(m, "all events are lost");
		else if (!empty(m) && !(m->tail - m->head == 1 && m->queue[m->head % QUEUE].lazy))
			wrong(m, "an event is missing");
		return false;
	}
	read_back++;
	if (is(&e, POSIX_TRACE_OVERFLOW)) {
		overflows++;
		if (!m->lost)
			wrong(m, "OVERFLOW, and nothing was lost");
		resumed(m, &e);
		return true;
	}
	if (m->lost)
		wrong(m, "events were lost, and the next one is not OVERFLOW");
	if (!empty(m) && m->queue[m->head % QUEUE].optional && !is(&e, POSIX_TRACE_START))
		m->head++;
	if (empty(m) || !fits(m, &m->queue[m->head % QUEUE], &e))
		another(m, &e);
	else
		m->head++;
	return true;
}

static void read_some(struct model *m)
{
	for (unsigned int n = below(3) ? below(10) : QUEUE; n; n--) {
		bool more = read_one(m);

		look(m, false, false);
		if (!more)
			break;
	}
}

static void operate(void)
{
	struct model *m = &models[below(STREAMS)];
	unsigned int what = below(100);

	if (what < 70)
		emit_some();
	else if (what < 82)
		read_some(m);
	else if (what < 89)
		start(m);
	else if (what < 94)
		stop(m);
	else if (what < 98)
		filter(m);
	else
		clear(m);
}

static void run(unsigned int steps)
{
	static const int policies[STREAMS] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
					       POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP };
	static const size_t sizes[STREAMS] = { SMALL, SMALL, 20000, 200000 };

	random_state = seed;
	failures = 0;
	models = calloc(STREAMS, sizeof(*models));
	need(models ? 0 : ENOMEM);
	for (int i = 0; i < STREAMS; i++) {
		models[i].policy = policies[i];
		models[i].trid = stream(policies[i], sizes[i]);
		start(&models[i]);
	}
	for (step = 0; step < steps && !failures; step++)
		operate();
	for (int i = 0; i < STREAMS; i++) {
		if (!failures)
			while (read_one(&models[i]))
				;
		need(posix_trace_shutdown(models[i].trid));
	}
	free(models);
	same(PAGE, failures, 0, "seed %u: %u steps as the model has them", seed, steps);
}

int main(int argc, char **argv)
{
	unsigned int steps = argc > 2 ? strtoul(argv[2], NULL, 0) : 4000;
	char name[32];

	for (int i = 0; i < TYPES; i++) {
		snprintf(name, sizeof(name), "type %d", i);
		types[i] = event(name);
	}
	if (argc > 1) {
		seed = strtoul(argv[1], NULL, 0);
		run(steps);
		return done();
	}
	for (seed = 1; seed <= often(8); seed++)
		run(steps);
	note("%u events told, %u read, %u overflows, %u streams stopped by themselves", emitted,
	     read_back, overflows, stops);
	check(PAGE, read_back && overflows && stops, "all of that has happened");
	return done();
}
