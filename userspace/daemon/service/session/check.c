// SPDX-License-Identifier: GPL-2.0
/*
 * check.c - what EnableTracing refuses, and with which message: a table of rules, checked in order
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/clocks.h"
#include "match.h"

#define DAY_MS (24u * 3600 * 1000)
#define DURATION_MAX_MS (7 * DAY_MS)
#define BUFFER_MAX 128
/* Limits on things that are searched by name repeatedly */
#define TRIGGER_MAX 1024
#define SEMAPHORE_MAX 128
#define DATA_SOURCE_MAX 1024
#define PATTERN_MAX 256
/* Limits in bytes: sent to others in a frame, with overhead */
#define NAME_SIZE_MAX 4096
#define SOURCE_SIZE_MAX (FRAME_MAX - 1024)
#define SESSION_MAX 15
#define SESSION_PER_UID_MAX 5
#define GUARD_SIZE_MAX_KB (128u * 1024)
#define GUARD_PAUSE_S 300
#define GUARD_MAX 1024

#define STOP_TRACING PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__STOP_TRACING
#define CLONE_SNAPSHOT PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__CLONE_SNAPSHOT

struct guarded {
	LIST_ENTRY(guarded) link;
	uint64_t boot_ns;
	char name[];
};

/* What a rule checks */
struct enable_request {
	const struct service *s;
	const Pft__TraceConfig *config;
	const Pft__TraceConfig__TriggerConfig *trigger;	/* never NULL */
	int mode;			/* trigger mode, 0 = none */
	uid_t uid;
	char *error;
};

__attribute__((format(printf, 2, 3)))
static bool refuse(const struct enable_request *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->error, SESSION_ERROR_MAX, format, args);
	va_end(args);
	return false;
}

static uint32_t duration_max(const struct enable_request *w)
{
	return w->config->enable_extra_guardrails ? DAY_MS : DURATION_MAX_MS;
}

static size_t count_patterns(const Pft__TraceConfig *config)
{
	size_t nr = 0;

	for (size_t i = 0; i < config->n_data_sources; i++)
		nr += config->data_sources[i]->n_producer_name_regex_filter;
	return nr;
}

bool check_is_bearable(const Pft__TraceConfig *config)
{
	return config->n_data_sources <= DATA_SOURCE_MAX && count_patterns(config) <= PATTERN_MAX;
}

static bool check_counts(const struct enable_request *w)
{
	if (w->trigger->n_triggers > TRIGGER_MAX)
		return refuse(w, "Too many triggers configured (%zu)", w->trigger->n_triggers);
	if (w->config->n_session_semaphores > SEMAPHORE_MAX)
		return refuse(w, "Too many session semaphores configured (%zu)",
			      w->config->n_session_semaphores);
	if (w->config->n_data_sources > DATA_SOURCE_MAX)
		return refuse(w, "Too many data sources configured (%zu)",
			      w->config->n_data_sources);
	if (count_patterns(w->config) > PATTERN_MAX)
		return refuse(w, "Too many regular expressions configured, limit is %d",
			      PATTERN_MAX);
	return true;
}

static const char *text(const char *maybe)
{
	return maybe ? maybe : "";
}

static bool check_sizes(const struct enable_request *w)
{
	if (strlen(text(w->config->unique_session_name)) > NAME_SIZE_MAX ||
	    strlen(text(w->config->bugreport_filename)) > NAME_SIZE_MAX)
		return refuse(w, "Too long a unique_session_name or bugreport_filename, limit is "
			      "%d bytes", NAME_SIZE_MAX);
	for (size_t i = 0; i < w->config->n_data_sources; i++) {
		const Pft__DataSourceConfig *d = w->config->data_sources[i]->config;

		if (d && pft__data_source_config__get_packed_size(d) > SOURCE_SIZE_MAX)
			return refuse(w, "Data source \"%.100s\": its configuration is longer than "
				      "%u bytes", text(d->name), SOURCE_SIZE_MAX);
	}
	return true;
}

static bool check_pattern(const struct enable_request *w, const char *pattern)
{
	char why[128];

	if (pattern && !match_is_pattern(pattern, why, sizeof(why)))
		return refuse(w, "Invalid regular expression \"%.200s\": %s", pattern, why);
	return true;
}

static bool check_patterns(const struct enable_request *w)
{
	for (size_t i = 0; i < w->trigger->n_triggers; i++)
		if (!check_pattern(w, w->trigger->triggers[i]->producer_name_regex))
			return false;
	for (size_t i = 0; i < w->config->n_data_sources; i++) {
		const Pft__TraceConfig__DataSource *d = w->config->data_sources[i];

		for (size_t k = 0; k < d->n_producer_name_regex_filter; k++)
			if (!check_pattern(w, d->producer_name_regex_filter[k]))
				return false;
	}
	return true;
}

static bool check_duration(const struct enable_request *w)
{
	if (w->config->duration_ms > duration_max(w))
		return refuse(w, "Requested too long trace (%u ms > %u ms)", w->config->duration_ms,
			      duration_max(w));
	return true;
}

static bool check_trigger(const struct enable_request *w)
{
	uint32_t timeout = w->trigger->trigger_timeout_ms;

	if (w->trigger->has_trigger_mode &&
	    !protobuf_c_enum_descriptor_get_value(
		&pft__trace_config__trigger_config__trigger_mode__descriptor,
		(int)w->trigger->trigger_mode))
		return refuse(w, "The trace config specified an invalid trigger_mode (%d)",
			      (int)w->trigger->trigger_mode);
	if (w->mode && (!timeout || timeout > duration_max(w)))
		return refuse(w, "Traces with triggers must provide a positive trigger_timeout_ms "
			      "of at most %u ms (received %u ms)", duration_max(w), timeout);
	if (w->trigger->use_clone_snapshot_if_available &&
	    w->trigger->trigger_mode != STOP_TRACING)
		return refuse(w, "trigger_mode must be STOP_TRACING when "
			      "use_clone_snapshot_if_available=true");
	if (w->mode && w->config->duration_ms)
		return refuse(w, "duration_ms was set, this must not be set for traces with "
			      "triggers");
	return true;
}

static bool check_report_name(const struct enable_request *w)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-_.";
	const char *name = w->config->bugreport_filename;

	if (name && name[strspn(name, good)])
		return refuse(w, "bugreport_filename contains invalid chars. Use [a-zA-Z0-9-_.]+");
	return true;
}

static bool check_trigger_file(const struct enable_request *w)
{
	if ((w->mode == STOP_TRACING || w->mode == CLONE_SNAPSHOT) && w->config->write_into_file)
		return refuse(w, "Specifying trigger mode STOP_TRACING/CLONE_SNAPSHOT and "
			      "write_into_file together is unsupported");
	return true;
}

static bool check_trigger_names(const struct enable_request *w)
{
	for (size_t i = 0; i < w->trigger->n_triggers; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(text(w->trigger->triggers[i]->name),
				    text(w->trigger->triggers[k]->name)))
				return refuse(w, "Duplicate trigger name: %.200s",
					      text(w->trigger->triggers[i]->name));
	return true;
}

static bool check_guardrails(const struct enable_request *w)
{
	const Pft__TraceConfig *c = w->config;
	uint64_t sum = 0, max = GUARD_SIZE_MAX_KB;

	if (!c->enable_extra_guardrails)
		return true;
	if (c->deferred_start)
		return refuse(w, "deferred_start=true is not supported in unsupervised traces");
	for (size_t i = 0; i < c->n_buffers; i++) {
		if (c->buffers[i]->size_kb % 4)
			return refuse(w, "buffers.size_kb must be a multiple of 4, got %u",
				      c->buffers[i]->size_kb);
		sum += c->buffers[i]->size_kb;
	}
	if (c->guardrail_overrides && c->guardrail_overrides->max_tracing_buffer_size_kb > max)
		max = c->guardrail_overrides->max_tracing_buffer_size_kb;
	if (sum > max)
		return refuse(w, "Requested too large trace buffer (%llu kB > %llu kB)",
			      (unsigned long long)sum, (unsigned long long)max);
	return true;
}

static bool check_buffers(const struct enable_request *w)
{
	const Pft__TraceConfig *c = w->config;

	if (c->n_buffers > BUFFER_MAX)
		return refuse(w, "Too many buffers configured (%zu)", c->n_buffers);
	for (size_t i = 0; i < c->n_buffers; i++)
		for (size_t k = 0; k < i; k++)
			if (*text(c->buffers[i]->name) &&
			    !strcmp(c->buffers[i]->name, text(c->buffers[k]->name)))
				return refuse(w, "Duplicate buffer name \"%.200s\" at index %zu "
					      "(first occurrence at index %zu)",
					      c->buffers[i]->name, i, k);
	for (size_t i = 0; i < c->n_buffers; i++)
		if (!c->buffers[i]->size_kb || c->buffers[i]->size_kb >= 4u << 20)
			return refuse(w, "Failed to allocate tracing buffers: Invalid buffer "
				      "sizes (%u kB)", c->buffers[i]->size_kb);
	return true;
}

static bool check_target(const struct enable_request *w, const Pft__DataSourceConfig *d)
{
	size_t index = d->target_buffer, named;

	if (*text(d->target_buffer_name)) {
		for (named = 0; named < w->config->n_buffers; named++)
			if (!strcmp(text(w->config->buffers[named]->name), d->target_buffer_name))
				break;
		if (named == w->config->n_buffers)
			return refuse(w, "Data source \"%.100s\" specified target_buffer_name "
				      "\"%.100s\" which does not match any buffer", text(d->name),
				      d->target_buffer_name);
		if (index && index != named)
			return refuse(w, "Data source \"%.100s\" specified both target_buffer=%zu "
				      "and target_buffer_name=\"%.100s\" (index %zu) but they "
				      "don't match", text(d->name), index, d->target_buffer_name,
				      named);
		index = named;
	}
	if (index >= w->config->n_buffers)
		return refuse(w, "Data source \"%.100s\" specified an out of bounds target_buffer "
			      "(%zu >= %zu)", text(d->name), index, w->config->n_buffers);
	return true;
}

static bool check_targets(const struct enable_request *w)
{
	for (size_t i = 0; i < w->config->n_data_sources; i++)
		if (w->config->data_sources[i]->config &&
		    !check_target(w, w->config->data_sources[i]->config))
			return false;
	return true;
}

static bool check_exclusive(const struct enable_request *w)
{
	const struct session *session;

	TAILQ_FOREACH(session, &w->s->sessions, link) {
		uint32_t active = session->config->exclusive_prio;

		if (session_is_running(session) && active && active >= w->config->exclusive_prio)
			return refuse(w, "An exclusive session with priority %u >= requested "
				      "priority %u is already active", active,
				      w->config->exclusive_prio);
	}
	return true;
}

/* An exclusive session ends all others, so their names do not matter. */
static bool check_unique(const struct enable_request *w)
{
	const char *name = text(w->config->unique_session_name);
	const struct session *session;

	TAILQ_FOREACH(session, &w->s->sessions, link)
		if (*name && !w->config->exclusive_prio && session->state != SESSION_CLONED &&
		    !strcmp(name, text(session->config->unique_session_name)))
			return refuse(w, "A trace with this unique session name (%.200s) already "
				      "exists", name);
	return true;
}

static bool check_semaphore(const struct enable_request *w,
			    const Pft__TraceConfig__SessionSemaphore *sem)
{
	uint64_t count = 0, max = sem->max_other_session_count;
	const struct session *session;

	TAILQ_FOREACH(session, &w->s->sessions, link) {
		const Pft__TraceConfig *c = session->config;

		if (session->state == SESSION_CLONED || session->state == SESSION_DISABLED)
			continue;
		for (size_t i = 0; i < c->n_session_semaphores; i++) {
			const Pft__TraceConfig__SessionSemaphore *other = c->session_semaphores[i];

			if (strcmp(text(other->name), text(sem->name)))
				continue;
			count++;
			if (other->max_other_session_count < max)
				max = other->max_other_session_count;
		}
	}
	if (count > max)
		return refuse(w, "Semaphore \"%.200s\" exceeds maximum allowed other session count "
			      "(%llu > %llu)", text(sem->name), (unsigned long long)count,
			      (unsigned long long)max);
	return true;
}

static bool check_semaphores(const struct enable_request *w)
{
	for (size_t i = 0; i < w->config->n_session_semaphores; i++)
		if (!w->config->exclusive_prio &&
		    !check_semaphore(w, w->config->session_semaphores[i]))
			return false;
	return true;
}

static bool check_pause(const struct enable_request *w)
{
	const char *name = text(w->config->unique_session_name);
	uint64_t now = clocks_boot_ns();
	const struct guarded *g;

	if (!w->config->enable_extra_guardrails)
		return true;
	LIST_FOREACH(g, &w->s->guarded, link) {
		uint64_t ago = (now - g->boot_ns) / NS_PER_S;

		if (ago < GUARD_PAUSE_S && !strcmp(g->name, name))
			return refuse(w, "A trace with unique session name \"%.200s\" began less "
				      "than %d s ago (%llu s)", name, GUARD_PAUSE_S,
				      (unsigned long long)ago);
	}
	return true;
}

bool check_numbers(const struct service *s, uid_t uid, bool are_clones, char *error)
{
	const char *what = are_clones ? "clones" : "concurrent tracing sessions";
	const struct session *session;
	uint32_t own = 0, all = 0;

	TAILQ_FOREACH(session, &s->sessions, link) {
		if ((session->state == SESSION_CLONED) != are_clones)
			continue;
		all++;
		own += session->uid == uid;
	}
	if (own >= SESSION_PER_UID_MAX)
		snprintf(error, SESSION_ERROR_MAX, "Too many %s (%u) for uid %u, limit is %u", what,
			 own, uid, SESSION_PER_UID_MAX);
	else if (all >= SESSION_MAX)
		snprintf(error, SESSION_ERROR_MAX, "Too many %s (%u)", what, all);
	else
		return true;
	return false;
}

static bool check_sessions(const struct enable_request *w)
{
	return w->config->exclusive_prio || check_numbers(w->s, w->uid, false, w->error);
}

static bool check_boost(const struct enable_request *w)
{
	const Pft__PriorityBoostConfig *boost = w->config->priority_boost;

	if (!boost)
		return true;
	if (boost->policy != PFT__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_OTHER &&
	    boost->policy != PFT__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_FIFO)
		return refuse(w, "Invalid priority boost config: unknown policy");
	if ((boost->policy == PFT__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_FIFO &&
	     (!boost->priority || boost->priority > 99)) ||
	    (boost->policy == PFT__PRIORITY_BOOST_CONFIG__BOOST_POLICY__POLICY_SCHED_OTHER &&
	     boost->priority > 20))
		return refuse(w, "Invalid priority boost config: priority %u is out of range",
			      boost->priority);
	return true;
}

bool check_config(const struct service *s, const Pft__TraceConfig *config, uid_t uid, char *error)
{
	static bool (*const rules[])(const struct enable_request *) = {
		check_counts, check_sizes, check_duration, check_trigger, check_patterns,
		check_report_name, check_trigger_file, check_trigger_names, check_guardrails,
		check_buffers, check_targets, check_exclusive, check_unique, check_semaphores,
		check_pause, check_sessions, check_boost,
	};
	static const Pft__TraceConfig__TriggerConfig none = PFT__TRACE_CONFIG__TRIGGER_CONFIG__INIT;
	const struct enable_request w = {
		.s = s, .config = config, .uid = uid, .error = error,
		.trigger = config->trigger_config ? config->trigger_config : &none,
		.mode = config->trigger_config ? (int)config->trigger_config->trigger_mode : 0,
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!rules[i](&w))
			return false;
	return true;
}

static void forget(struct guarded *g)
{
	LIST_REMOVE(g, link);
	free(g);
}

/*
 * Forgets entries that are too old to count, and the oldest beyond the limit; the latest come
 * first.
 */
static void forget_old(struct service *s)
{
	struct guarded *g = LIST_FIRST(&s->guarded), *next;
	uint64_t now = clocks_boot_ns();

	for (unsigned int nr = 0; g; nr++, g = next) {
		next = LIST_NEXT(g, link);
		if (nr >= GUARD_MAX || now - g->boot_ns >= GUARD_PAUSE_S * NS_PER_S)
			forget(g);
	}
}

void guard_remember(struct service *s, const Pft__TraceConfig *config)
{
	const char *name = text(config->unique_session_name);
	struct guarded *g;

	if (!config->enable_extra_guardrails)
		return;
	g = malloc(sizeof(*g) + strlen(name) + 1);
	if (!g)
		return;
	g->boot_ns = clocks_boot_ns();
	strcpy(g->name, name);
	LIST_INSERT_HEAD(&s->guarded, g, link);
	forget_old(s);
}

void guard_forget(struct service *s)
{
	struct guarded *g;

	while ((g = LIST_FIRST(&s->guarded)))
		forget(g);
}
