// SPDX-License-Identifier: GPL-2.0
/* packet_wakeups.c - which received packet woke a thread, and which thread sent it */
#include "packet_wakeups.h"

#include "packet_flows.h"

#include "base/grow.h"
#include "model/slices.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#define VEC_NONE (-1)
#define VEC_NET_RX 3
#define RANK_UNKNOWN 4	/* ranks of packets of connections of which the user is not known */

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4 };

/* struct net - fields of net:queue and net:receive; 0 if the event has none of the name */
struct net {
	__u8 ip_src[16];
	__u8 ip_dst[16];
	__u16 src_port;
	__u16 dst_port;
	__u32 payload;
	__u32 transport;
	__u32 tcp_flags;
};

/* struct run_packet - a packet received in the current run of a softirq */
struct run_packet {
	struct packet_id id;
	__u64 time;
	struct flow_key flow;
	bool is_bare;	/* TCP without data, such as an acknowledgement */
	bool is_used;	/* it has woken a thread */
};

/**
 * struct packet_cpu - a CPU; the first two members are the key
 * @machine:	its machine
 * @cpu:	its number
 * @vec:	softirq that it is in, VEC_NONE = none, or not recorded
 * @has_vec:	softirqs are recorded; otherwise all interrupts in a row are one run
 * @was_irq:	the last event was in an interrupt
 * @run:	the packets
 * @nr:		number of @run
 * @cap:	room in @run
 * @is_over:	there were more than PACKET_RUN_MAX
 */
struct packet_cpu {
	__u32 machine;
	__s32 cpu;
	__s32 vec;
	bool has_vec;
	bool was_irq;
	struct run_packet *run;
	__u32 nr;
	__u32 cap;
	bool is_over;
};

/* struct packet_first - first packet since a thread began to wait, of connections it sends on */
struct packet_first {
	__u64 serial;
	struct packet_id id;
	__u64 time;
};

static struct packet_id id_of(const struct ktrace_trace *trace, __s32 cpu, __u64 raw)
{
	return (struct packet_id){ (__u32)ktrace_trace_index(trace), cpu, raw };
}

static struct packet_id id_of_event(const struct ktrace_trace_event *e)
{
	return id_of(e->stream->trace, e->stream->cpu, e->raw);
}

static __u32 machine_now(const struct packet_wakeups *w, const struct ktrace_trace *trace)
{
	return ktrace_state_machine(w->state, trace);
}

int packet_wakeups_init(struct packet_wakeups *w, struct ktrace_traceset *set,
			struct ktrace_states *state)
{
	w->set = set;
	w->state = state;
	w->cpus = (struct hash_table)HASH_TABLE_INIT(struct packet_cpu, cpu);
	w->flows = (struct hash_table)HASH_TABLE_INIT(struct packet_flow, key);
	w->firsts = (struct hash_table)HASH_TABLE_INIT(struct packet_first, serial);
	w->trips = (struct hash_table)HASH_TABLE_INIT(struct packet_trip, to);
	w->senders = (struct hash_table)HASH_TABLE_INIT(struct packet_sender, id);
	return hosts_count(set) > 1 ? ktrace_messages_open(set, &w->messages) : 0;
}

static void forget_run(struct packet_cpu *cpu)
{
	cpu->nr = 0;
	cpu->is_over = false;
}

/* Keeps only packets received before @until: other ones are of later parts. */
static void drop_trips(struct packet_wakeups *w, __u64 until)
{
	struct hash_table kept = HASH_TABLE_INIT(struct packet_trip, to);
	const struct packet_trip *trip;
	struct packet_trip *copy;

	hash_table_for_each(trip, &w->trips) {
		copy = trip->received < until ? hash_table_need(&kept, &trip->to, &w->error) :
			NULL;
		if (copy)
			*copy = *trip;
	}
	hash_table_free(&w->trips);
	w->trips = kept;
}

void packet_wakeups_again(struct packet_wakeups *w, __u64 until)
{
	struct packet_flow *flow;
	struct packet_cpu *cpu;

	w->is_again = true;
	hash_table_for_each(cpu, &w->cpus) {
		forget_run(cpu);
		cpu->vec = VEC_NONE;
		cpu->was_irq = false;
	}
	hash_table_for_each(flow, &w->flows)
		flow->writer = 0;
	hash_table_cut(&w->firsts, 0);
	hash_table_cut(&w->senders, 0);
	drop_trips(w, until);
}

int packet_wakeups_add(struct packet_wakeups *w, const struct packet_trip *trip)
{
	struct packet_trip *own = hash_table_need(&w->trips, &trip->to, &w->error);

	if (own)
		*own = *trip;
	return w->error;
}

void packet_wakeups_free(struct packet_wakeups *w)
{
	ktrace_messages_close(w->messages);
	hash_table_free_with(&w->cpus, offsetof(struct packet_cpu, run));
	hash_table_free(&w->flows);
	hash_table_free(&w->firsts);
	hash_table_free(&w->trips);
	hash_table_free(&w->senders);
}

/* ---- events ---- */

static struct flow_key flow_key(const struct packet_wakeups *w, const struct net *net,
				bool is_sent)
{
	struct flow_key key = {
		.machine = machine_now(w, w->event->stream->trace), .transport = net->transport,
		.ports = { is_sent ? net->src_port : net->dst_port,
			   is_sent ? net->dst_port : net->src_port },
	};

	memcpy(key.ips[0], is_sent ? net->ip_src : net->ip_dst, sizeof(key.ips[0]));
	memcpy(key.ips[1], is_sent ? net->ip_dst : net->ip_src, sizeof(key.ips[1]));
	if (!key.ports[0] && !key.ports[1])
		key.transport = 0;
	return key;
}

static struct packet_cpu *cpu_of_event(struct packet_wakeups *w)
{
	const struct ktrace_trace_stream *s = w->event->stream;
	const struct packet_cpu key = { .machine = machine_now(w, s->trace), .cpu = s->cpu };
	const size_t nr = w->cpus.nr;
	struct packet_cpu *cpu = hash_table_need(&w->cpus, &key, &w->error);

	if (cpu && w->cpus.nr > nr)
		cpu->vec = VEC_NONE;
	return cpu;
}

static enum packet_event kind_of(struct packet_wakeups *w, const struct ktrace_event_type *type)
{
	static const char *const names[PACKET_EVENT_NR] = {
		[PACKET_EVENT_SOFTIRQ_ENTER] = "softirq:enter",
		[PACKET_EVENT_SOFTIRQ_EXIT] = "softirq:exit",
		[PACKET_EVENT_QUEUE] = "net:queue",
		[PACKET_EVENT_RECEIVE] = "net:receive",
	};
	struct packet_type *t = &w->types[((uintptr_t)type >> 4) % PACKET_TYPES_NR];
	int i;

	if (t->type == type)
		return t->kind;
	*t = (struct packet_type){ type, PACKET_EVENT_OTHER };
	for (i = 1; i < PACKET_EVENT_NR; i++)
		if (!strcmp(type->full_name, names[i]))
			t->kind = (enum packet_event)i;
	return t->kind;
}

static void see_softirq(struct packet_cpu *cpu, const struct ktrace_trace_event *e, bool enters)
{
	cpu->has_vec = true;
	cpu->vec = enters ? (__s32)event_integer(e, "vec") : VEC_NONE;
	forget_run(cpu);
}

static void take_field(struct net *net, const struct ktrace_value *v)
{
	const char *name = v->field->name;
	const __u32 number = v->count ? (__u32)ktrace_value_s64(v, 0) : 0;
	const bool is_address = v->field->shape == KTRACE_FIXED &&
				v->field->scalar == KTRACE_U8 && v->count == sizeof(net->ip_src);

	if (is_address && !strcmp(name, "ip_src"))
		memcpy(net->ip_src, v->data, sizeof(net->ip_src));
	else if (is_address && !strcmp(name, "ip_dst"))
		memcpy(net->ip_dst, v->data, sizeof(net->ip_dst));
	else if (!strcmp(name, "src_port"))
		net->src_port = (__u16)number;
	else if (!strcmp(name, "dst_port"))
		net->dst_port = (__u16)number;
	else if (!strcmp(name, "payload"))
		net->payload = number;
	else if (!strcmp(name, "transport"))
		net->transport = number;
	else if (!strcmp(name, "tcp_flags"))
		net->tcp_flags = number;
}

static bool is_in_interrupt(const struct packet_cpu *cpu, const struct ktrace_trace_event *e)
{
	return cpu->vec != VEC_NONE || e->flags & KTRACE_EVENT_IRQ;
}

/* Keeps a packet if the thread waits, and for no earlier one. */
static void note_first(struct packet_wakeups *w, __u64 serial, __u32 tid, __u32 machine)
{
	const struct ktrace_process *p = ktrace_state_find(w->state, machine, tid, -1);
	struct packet_first *first;

	if (!p || p->serial != serial || p->status != KTRACE_STATUS_WAIT)
		return;
	first = hash_table_need(&w->firsts, &serial, &w->error);
	if (!first || (first->time && first->time >= p->since))
		return;
	first->id = id_of_event(w->event);
	first->time = w->event->time;
}

static void add_to_run(struct packet_wakeups *w, struct packet_cpu *cpu,
		       const struct run_packet *packet)
{
	if (cpu->nr == PACKET_RUN_MAX)
		cpu->is_over = true;
	else if (LIST_GROW(cpu->run, cpu->nr, cpu->cap))
		cpu->run[cpu->nr++] = *packet;
	else
		w->error = -ENOMEM;
}

static void see_received(struct packet_wakeups *w, struct packet_cpu *cpu,
			 const struct net *net)
{
	const struct run_packet packet = {
		.id = id_of_event(w->event), .time = w->event->time,
		.flow = flow_key(w, net, false),
		.is_bare = net->transport == IPPROTO_TCP && !net->payload &&
			   !(net->tcp_flags & (TCP_FIN | TCP_SYN | TCP_RST)),
	};
	const struct packet_flow *flow = packet.flow.transport ?
		hash_table_find(&w->flows, &packet.flow) : NULL;
	__u32 i;

	if (is_in_interrupt(cpu, w->event))
		add_to_run(w, cpu, &packet);
	for (i = 0; flow && !packet.is_bare && i < PACKET_FLOW_USERS && flow->tids[i]; i++)
		note_first(w, flow->users[i], flow->tids[i], cpu->machine);
}

/* Returns the last packet of the run that came on this connection. */
static struct packet_cause answered(const struct packet_cpu *cpu, const struct flow_key *key)
{
	const struct run_packet *packet;
	__u32 i = cpu->nr;

	while (i--) {
		packet = &cpu->run[i];
		if (packet_flow_is_same(&packet->flow, key))
			return (struct packet_cause){ packet->id, packet->time,
						      PACKET_CAUSE_FOUND };
	}
	return (struct packet_cause){ .kind = PACKET_CAUSE_NONE };
}

static struct packet_sender by_interrupt(const struct packet_cpu *cpu,
					 const struct packet_flow *flow,
					 const struct flow_key *key, const struct net *net)
{
	struct packet_sender s = { .answers = answered(cpu, key) };
	const bool is_answer = net->tcp_flags & TCP_SYN && s.answers.kind == PACKET_CAUSE_FOUND;

	if (is_answer || !flow || !flow->writer)
		return s;
	s.thread = flow->writer;
	s.time = flow->wrote;
	return s;
}

static struct packet_sender by_thread(const struct packet_wakeups *w, struct packet_flow *flow)
{
	const struct ktrace_trace_event *e = w->event;
	const struct ktrace_process *p = ktrace_state_find(w->state,
		machine_now(w, e->stream->trace), e->tid, e->stream->cpu);

	if (!p || !p->tid)
		return (struct packet_sender){ .thread = 0 };
	if (flow) {
		packet_flow_add_user(flow, p);
		flow->writer = p->serial + 1;
		flow->wrote = e->time;
	}
	return (struct packet_sender){ .thread = p->serial + 1, .time = e->time };
}

static void see_sent(struct packet_wakeups *w, const struct packet_cpu *cpu,
		     const struct net *net)
{
	const struct flow_key key = flow_key(w, net, true);
	struct packet_flow *flow = packet_flow_need(w, &key);
	struct packet_sender s = is_in_interrupt(cpu, w->event) ?
		by_interrupt(cpu, flow, &key, net) : by_thread(w, flow);
	struct packet_sender *kept;

	s.id = id_of_event(w->event);
	kept = w->is_again ? hash_table_need(&w->senders, &s.id, &w->error) : NULL;
	if (kept)
		*kept = s;
}

static void see_packet(struct packet_wakeups *w, struct packet_cpu *cpu, bool is_sent)
{
	const struct ktrace_trace_event *e = w->event;
	struct net net = { .transport = 0 };
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		if (!v.is_cut)
			take_field(&net, &v);
	if (is_sent)
		see_sent(w, cpu, &net);
	else
		see_received(w, cpu, &net);
}

static void on_message(void *arg, const struct ktrace_message *m)
{
	struct packet_wakeups *w = arg;
	struct packet_trip trip = {
		.to = id_of(m->to.trace, m->to.cpu, m->to.raw),
		.from = id_of(m->from.trace, m->from.cpu, m->from.raw),
		.from_machine = machine_now(w, m->from.trace),
		.to_machine = machine_now(w, m->to.trace),
		.sent = m->from.time, .received = m->to.time,
		.is_retransmitted = m->is_retransmitted,
	};
	const struct time_error from = time_error_of(m->from.trace, m->from.raw);
	const struct time_error to = time_error_of(m->to.trace, m->to.raw);

	if (m->kind == KTRACE_MESSAGE_BROADCAST || !w->found || w->error)
		return;
	trip.error = time_error_between(&from, &to);
	w->error = w->found(w->arg, &trip);
}

/* Tells whether the event is one of a new run, if only its flags say that it is in an interrupt. */
static void see_flags(struct packet_cpu *cpu, const struct ktrace_trace_event *e)
{
	const bool is_irq = e->flags & KTRACE_EVENT_IRQ;

	if (!cpu->has_vec && is_irq && !cpu->was_irq)
		forget_run(cpu);
	cpu->was_irq = is_irq;
}

static int pass_on(struct packet_wakeups *w, const struct ktrace_trace_event *e)
{
	int ret = ktrace_messages_add(w->messages, e, on_message, w);

	return ret ? ret : w->error;
}

int packet_wakeups_see(struct packet_wakeups *w, const struct ktrace_trace_event *e)
{
	struct packet_cpu *cpu;
	enum packet_event kind;

	w->event = e;
	/* Where records are lost, packets are matched less surely. */
	if (w->messages && e->id == KTRACE_ID_LOST)
		return w->is_again ? 0 : pass_on(w, e);
	if (!w->messages || e->stream->kind != KTRACE_CHANNEL_KERNEL || e->stream->cpu < 0 ||
	    !e->type || e->flags & KTRACE_EVENT_NO_START)
		return 0;
	cpu = cpu_of_event(w);
	if (!cpu)
		return w->error;
	see_flags(cpu, e);
	kind = kind_of(w, e->type);
	if (kind == PACKET_EVENT_SOFTIRQ_ENTER || kind == PACKET_EVENT_SOFTIRQ_EXIT)
		see_softirq(cpu, e, kind == PACKET_EVENT_SOFTIRQ_ENTER);
	if (kind != PACKET_EVENT_QUEUE && kind != PACKET_EVENT_RECEIVE)
		return 0;
	see_packet(w, cpu, kind == PACKET_EVENT_QUEUE);
	return w->is_again ? w->error : pass_on(w, e);
}

int packet_wakeups_end(struct packet_wakeups *w)
{
	if (w->messages)
		ktrace_messages_end(w->messages, on_message, w);
	return w->error;
}

/* ---- wake-ups ---- */

/* True if the thread waits in a system call that waits for files, as far as is known. */
static bool waits_for_file(const struct packet_wakeups *w, const struct ktrace_process *p)
{
	static const char *const starts[] = {
		"accept", "connect", "epoll_", "io_", "poll", "ppoll", "pread", "preadv",
		"pselect", "pwrite", "read", "recv", "select", "send", "splice", "write",
		"_newselect",
	};
	const struct ktrace_mode_level *mode = ktrace_process_mode(p);
	const char *name = mode->mode == KTRACE_MODE_SYSCALL ?
		ktrace_mode_sub_name(w->state, p->machine, mode->mode, mode->sub) : NULL;
	size_t i;

	for (i = 0; name && i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Returns the packet's rank, the lowest is the best; -1: it cannot have woken the thread. */
static int rank_of(const struct packet_wakeups *w, const struct run_packet *packet,
		   const struct ktrace_process *p)
{
	const enum packet_owner owner = packet_flow_owner(w, &packet->flow, p);

	if (packet->time < p->since || owner == PACKET_OWNER_OTHERS)
		return -1;
	return (owner == PACKET_OWNER_UNKNOWN ? RANK_UNKNOWN : 0) + 2 * packet->is_used +
	       packet->is_bare;
}

/* Of the thread's own connections the first packet counts, whichever it is. */
static struct packet_cause cause_in_run(const struct packet_wakeups *w, struct packet_cpu *cpu,
					const struct ktrace_process *p)
{
	struct run_packet *best = NULL;
	int rank, best_rank = 2 * RANK_UNKNOWN;
	bool is_ambiguous = false;
	__u32 i;

	for (i = 0; i < cpu->nr; i++) {
		rank = rank_of(w, &cpu->run[i], p);
		if (rank < 0 || rank > best_rank)
			continue;
		if (rank < best_rank) {
			best = &cpu->run[i];
			best_rank = rank;
			is_ambiguous = false;
		} else if (!packet_flow_is_same(&best->flow, &cpu->run[i].flow)) {
			is_ambiguous = rank >= RANK_UNKNOWN;
		}
	}
	if (best && (is_ambiguous || cpu->is_over))
		return (struct packet_cause){ .kind = PACKET_CAUSE_AMBIGUOUS };
	if (!best)
		return (struct packet_cause){ .kind = PACKET_CAUSE_NONE };
	best->is_used = true;
	return (struct packet_cause){ best->id, best->time, PACKET_CAUSE_FOUND };
}

/* Marks the packet, which may have been received on another CPU. */
static void use(struct packet_wakeups *w, const struct packet_first *first)
{
	const struct packet_cpu key = {
		.machine = machine_now(w, ktrace_traceset_trace(w->set, first->id.trace)),
		.cpu = first->id.cpu,
	};
	const struct packet_cpu *cpu = hash_table_find(&w->cpus, &key);
	__u32 i;

	for (i = 0; cpu && i < cpu->nr; i++)
		if (!memcmp(&cpu->run[i].id, &first->id, sizeof(first->id)))
			cpu->run[i].is_used = true;
}

/* Returns the first packet of a connection on which the thread sends, received on any CPU. */
static struct packet_cause cause_elsewhere(struct packet_wakeups *w, const struct ktrace_process *p)
{
	const struct packet_first *first = hash_table_find(&w->firsts, &p->serial);

	if (!first || first->time < p->since || !waits_for_file(w, p))
		return (struct packet_cause){ .kind = PACKET_CAUSE_NONE };
	use(w, first);
	return (struct packet_cause){ first->id, first->time, PACKET_CAUSE_FOUND };
}

struct packet_cause packet_wakeups_cause(struct packet_wakeups *w, const struct ktrace_process *p,
					 const struct ktrace_process *by)
{
	struct packet_cause cause = { .kind = PACKET_CAUSE_NONE };
	struct packet_cpu *cpu;

	if (!w->messages || p->status != KTRACE_STATUS_WAIT || (by && by->tid))
		return cause;
	cpu = cpu_of_event(w);
	if (!cpu || (cpu->vec != VEC_NONE && cpu->vec != VEC_NET_RX))
		return cause;
	if ((cpu->vec == VEC_NET_RX && p->waker_mode != KTRACE_MODE_IRQ) ||
	    (!cpu->has_vec && w->event->flags & KTRACE_EVENT_IRQ))
		cause = cause_in_run(w, cpu, p);
	return cause.kind == PACKET_CAUSE_NONE ? cause_elsewhere(w, p) : cause;
}

const struct packet_trip *packet_wakeups_trip(const struct packet_wakeups *w,
					      const struct packet_id *received)
{
	return hash_table_find(&w->trips, received);
}

const struct packet_sender *packet_wakeups_sender(const struct packet_wakeups *w,
						  const struct packet_id *queued)
{
	return hash_table_find(&w->senders, queued);
}
