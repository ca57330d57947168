// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - what the simulated hosts do
 *
 * Host 0 is the client. It has a thread for each connection, with a CPU of its own, and so has the
 * server:
 *
 *   client   app:request  net:queue  switch ............. net:receive  wakeup  switch  app:answer
 *                               \                             /
 *   server          net:receive  wakeup  switch  app:work  net:queue  switch
 *
 * CPU 0 of a host has everything else.
 */
#include "load.h"

#include <stdlib.h>
#include <string.h>

#define WAKE_NS 1500u
#define CALL_NS 600u
#define CLIENT_PID 1000u
#define SERVER_PID 2000u
#define OTHER_PID 3000u

/* struct worker - a thread of a client or server */
struct worker {
	__u32 host;
	__u32 cpu;
	__u32 tid;
	char comm[16];
	bool is_awake;
	__u64 inbox[TCP_MESSAGES];
	__u64 put;
	__u64 taken;
};

/* struct pair - a connection and the threads at its ends */
struct pair {
	struct worker client;
	struct worker server;
	struct tcp tcp;
	__u64 due;
	__u64 asked;
};

struct load {
	struct pair *pairs;
	__u32 nr;
	__u64 next_id;
};

/* The one that runs; actions have room for one object only. */
static struct load *the_load;

__u32 load_cpus(const struct sim *s, int host)
{
	return 1 + s->o.connections * (host ? 1 : (__u32)s->host_nr - 1);
}

static void set_worker(struct worker *w, __u32 host, __u32 cpu, const char *name)
{
	w->host = host;
	w->cpu = cpu;
	w->tid = (host ? SERVER_PID : CLIENT_PID) + cpu;
	snprintf(w->comm, sizeof(w->comm), "%s%u", name, cpu % SIM_CPUS);
}

static void put_user_event(struct sim *s, __u64 t, const struct worker *w, __u16 id, __u64 number,
			   __u32 server)
{
	struct sim_record r = { .host = w->host, .cpu = w->cpu, .tid = w->tid, .id = id,
				.len = 12, .is_user = true };

	memcpy(r.payload, &number, sizeof(number));
	memcpy(r.payload + 8, &server, sizeof(server));
	if (s->o.has_app)
		sim_record(s, t, &r);
}

static struct sim_cpu *cpu_of(struct sim *s, const struct worker *w)
{
	return &s->hosts[w->host].cpus[w->cpu];
}

/* True if the worker's CPU is busy: then the action comes again when it is not. */
static bool has_to_wait(struct sim *s, __u64 t, const struct worker *w, const struct sim_action *a)
{
	const __u64 free_at = cpu_of(s, w)->free_at;

	if (free_at > t)
		sim_at(s, free_at, a);
	return free_at > t;
}

static void wake(struct sim *s, __u64 t, struct worker *w, const struct sim_action *then)
{
	if (w->is_awake)
		return;
	w->is_awake = true;
	sim_wakeup(s, w->host, w->cpu, t, w->tid, w->comm);
	sim_at(s, t + WAKE_NS, then);
}

static void run_on_cpu(struct sim *s, __u64 t, struct worker *w)
{
	if (cpu_of(s, w)->tid != w->tid)
		sim_switch(s, w->host, w->cpu, t, w->tid, w->comm);
}

static void block(struct sim *s, __u64 t, struct worker *w)
{
	sim_switch(s, w->host, w->cpu, t, 0, NULL);
	cpu_of(s, w)->free_at = t + 100;
	w->is_awake = false;
}

static void ask(struct sim *s, __u64 t, struct pair *p);
static void client_due(struct sim *s, __u64 t, const struct sim_action *a);

/* The client waits until it has to ask again. */
static void rest(struct sim *s, __u64 t, struct pair *p)
{
	const double mean = 1e9 * the_load->nr / s->o.rate;

	p->due += (__u64)random_exponential(&s->random, mean);
	if (p->due <= t + WAKE_NS) {
		ask(s, t, p);
		return;
	}
	block(s, t, &p->client);
	sim_at(s, p->due, &(struct sim_action){ .run = client_due, .object = p });
}

static void ask(struct sim *s, __u64 t, struct pair *p)
{
	const __u32 bytes = 1 + (__u32)random_below(&s->random, 2 * s->o.request_bytes);

	p->asked = ++the_load->next_id;
	s->counts.requests++;
	put_user_event(s, t + 100, &p->client, SIM_APP_REQUEST, p->asked, p->server.host);
	t = tcp_write(s, t + CALL_NS, p->client.tid, &p->tcp.flows[0], bytes, p->asked);
	block(s, t + CALL_NS, &p->client);
}

static void client_ask(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct pair *p = a->object;

	if (has_to_wait(s, t, &p->client, a))
		return;
	run_on_cpu(s, t, &p->client);
	ask(s, t + CALL_NS, p);
}

static void client_due(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct pair *p = a->object;

	if (!has_to_wait(s, t, &p->client, a))
		wake(s, t, &p->client, &(struct sim_action){ .run = client_ask, .object = p });
}

static void client_answered(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct pair *p = a->object;

	if (has_to_wait(s, t, &p->client, a))
		return;
	run_on_cpu(s, t, &p->client);
	put_user_event(s, t + CALL_NS, &p->client, SIM_APP_ANSWER, p->asked, p->server.host);
	rest(s, t + 2 * CALL_NS, p);
}

static void server_run(struct sim *s, __u64 t, const struct sim_action *a);

static void server_answer(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct pair *p = a->object;
	struct worker *w = &p->server;
	const __u32 bytes = 1 + (__u32)random_below(&s->random, 2 * s->o.answer_bytes);

	if (has_to_wait(s, t, w, a))
		return;
	t = tcp_write(s, t, w->tid, &p->tcp.flows[1], bytes, w->inbox[w->taken++ % TCP_MESSAGES]);
	if (w->taken == w->put) {
		block(s, t + CALL_NS, w);
		return;
	}
	cpu_of(s, w)->free_at = t;
	sim_at(s, t, &(struct sim_action){ .run = server_run, .object = p });
}

static void server_run(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct pair *p = a->object;
	struct worker *w = &p->server;

	if (has_to_wait(s, t, w, a))
		return;
	run_on_cpu(s, t, w);
	put_user_event(s, t + CALL_NS, w, SIM_APP_WORK, w->inbox[w->taken % TCP_MESSAGES], w->host);
	cpu_of(s, w)->free_at = t + 2 * CALL_NS;
	sim_at(s, t + 2 * CALL_NS + (__u64)random_exponential(&s->random, s->o.work_us * 1e3),
	       &(struct sim_action){ .run = server_answer, .object = p });
}

static void message(struct sim *s, __u64 t, void *object, bool is_answer, __u64 id)
{
	struct pair *p = object;
	struct worker *w = &p->server;

	if (is_answer) {
		wake(s, t, &p->client,
		     &(struct sim_action){ .run = client_answered, .object = p });
		return;
	}
	w->inbox[w->put++ % TCP_MESSAGES] = id;
	wake(s, t, w, &(struct sim_action){ .run = server_run, .object = p });
}

static void opened(struct sim *s, __u64 t, void *object)
{
	struct pair *p = object;

	p->due = t + (__u64)random_exponential(&s->random, 1e9 * the_load->nr / s->o.rate);
	sim_at(s, p->due, &(struct sim_action){ .run = client_due, .object = p });
}

struct load *load_new(struct sim *s)
{
	struct load *l = calloc(1, sizeof(*l));
	struct pair *p;

	if (!l)
		abort();
	l->nr = s->o.connections * ((__u32)s->host_nr - 1);
	l->pairs = calloc(l->nr, sizeof(*l->pairs));
	if (!l->pairs)
		abort();
	for (__u32 i = 0; i < l->nr; i++) {
		p = &l->pairs[i];
		set_worker(&p->client, 0, 1 + i, "client");
		set_worker(&p->server, 1 + i / s->o.connections, 1 + i % s->o.connections,
			   "server");
		p->tcp.ends[0] = (struct tcp_end){ .host = 0, .cpu = p->client.cpu,
						   .port = (__u16)(40000 + i) };
		p->tcp.ends[1] = (struct tcp_end){ .host = p->server.host, .cpu = p->server.cpu,
						   .port = 80 };
		p->tcp.object = p;
		p->tcp.opened = opened;
		p->tcp.message = message;
	}
	the_load = l;
	return l;
}

static void name_thread(struct sim *s, const struct worker *w)
{
	struct sim_host *h = &s->hosts[w->host];

	sim_trace_thread(&h->trace, w->host ? SERVER_PID : CLIENT_PID, w->tid, w->comm,
			 h->clock.knots[0].raw);
}

void load_name_threads(struct load *l, struct sim *s)
{
	for (int i = 0; i < s->host_nr; i++)
		sim_trace_thread(&s->hosts[i].trace, i ? SERVER_PID : CLIENT_PID,
				 i ? SERVER_PID : CLIENT_PID, i ? "server" : "client",
				 s->hosts[i].clock.knots[0].raw);
	for (__u32 i = 0; i < l->nr; i++) {
		name_thread(s, &l->pairs[i].client);
		name_thread(s, &l->pairs[i].server);
	}
}

/* A datagram of @from, which may have one byte only */
static struct net_packet datagram(struct sim *s, __u32 from, __s32 to)
{
	struct net_packet p = { .from = from, .to = to, .e = {
		.src_port = 5000, .dst_port = 6000, .transport = IPPROTO_UDP } };

	p.e.payload = 1 + (__u32)random_below(&s->random, 1000);
	p.e.data = random_next(&s->random);
	if (p.e.payload < 8)
		p.e.data &= ~0ull << (64 - 8 * p.e.payload);
	return p;
}

static void again(struct sim *s, __u64 t, const struct sim_action *a, double rate)
{
	sim_at(s, t + (__u64)random_exponential(&s->random, 1e9 / rate), a);
}

static __u32 any_host(struct sim *s)
{
	return (__u32)random_below(&s->random, (__u64)s->host_nr);
}

static void send_datagram(struct sim *s, __u64 t, const struct sim_action *a)
{
	const __u32 from = any_host(s);
	const __u32 to = (from + 1 + (__u32)random_below(&s->random, (__u64)s->host_nr - 1)) %
			 (__u32)s->host_nr;
	struct net_packet p = datagram(s, from, (__s32)to);

	net_send(s, t, 0, &p);
	again(s, t, a, s->o.udp_rate);
}

static void send_broadcast(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct net_packet p = datagram(s, any_host(s), -1);

	net_broadcast(s, t, &p);
	again(s, t, a, s->o.broadcast_rate);
}

/* To a host that is not recorded */
static void send_to_stranger(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct net_packet p = datagram(s, any_host(s), -1);

	net_send(s, t, 0, &p);
	again(s, t, a, s->o.stranger_rate);
}

/* A thread that has nothing to do with packets */
static void run_other(struct sim *s, __u64 t, const struct sim_action *a)
{
	const __u32 host = (__u32)((const struct sim_host *)a->object - s->hosts);
	struct sim_host *h = &s->hosts[host];
	__u32 cpu = (__u32)random_below(&s->random, h->cpu_nr);

	if (h->cpus[cpu].tid || h->cpus[cpu].free_at > t)
		cpu = 0;
	sim_wakeup(s, host, cpu, t, OTHER_PID, "other");
	sim_switch(s, host, cpu, t + WAKE_NS, OTHER_PID, "other");
	sim_switch(s, host, cpu, t + 2 * WAKE_NS, 0, NULL);
	h->cpus[cpu].free_at = t + 2 * WAKE_NS;
	again(s, t + 2 * WAKE_NS, a, s->o.others_rate);
}

static void start_at_rate(struct sim *s, double rate,
			  void (*run)(struct sim *s, __u64 t, const struct sim_action *a))
{
	if (rate > 0)
		again(s, 0, &(struct sim_action){ .run = run }, rate);
}

void load_start(struct load *l, struct sim *s)
{
	for (__u32 i = 0; s->o.rate > 0 && i < l->nr; i++)
		tcp_open(s, 1000000 + 10000ull * i, &l->pairs[i].tcp);
	start_at_rate(s, s->o.udp_rate, send_datagram);
	start_at_rate(s, s->o.broadcast_rate, send_broadcast);
	start_at_rate(s, s->o.stranger_rate, send_to_stranger);
	for (int i = 0; i < s->host_nr && s->o.others_rate > 0; i++)
		again(s, 0, &(struct sim_action){ .run = run_other, .object = &s->hosts[i] },
		      s->o.others_rate);
}

void load_free(struct load *l)
{
	free(l->pairs);
	free(l);
}
