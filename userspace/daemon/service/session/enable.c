// SPDX-License-Identifier: GPL-2.0
/* enable.c - EnableTracing: from a configuration to a session */
#include "enable.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "consumer.h"
#include "control.h"
#include "disk.h"
#include "file.h"
#include "sched_boost.h"
#include "source_matching.h"

#define START_TRACING PFT__TRACE_CONFIG__TRIGGER_CONFIG__TRIGGER_MODE__START_TRACING

static void lock_down(struct service *s, const Pft__TraceConfig *config)
{
	if (config->lockdown_mode == PFT__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_SET)
		s->is_locked = true;
	if (config->lockdown_mode == PFT__TRACE_CONFIG__LOCKDOWN_MODE_OPERATION__LOCKDOWN_CLEAR)
		s->is_locked = false;
}

/* An exclusive session, the last in the list, ends all others. */
static void end_others(struct session *session)
{
	struct session *other;
	char why[128];

	if (!session->config->exclusive_prio)
		return;
	snprintf(why, sizeof(why), "Aborted due to user requested higher-priority (%u) exclusive "
		 "session", session->config->exclusive_prio);
	while ((other = TAILQ_FIRST(&session->service->sessions)) != session)
		session_free(other, why);
}

static void begin(struct session *session)
{
	const Pft__TraceConfig__TriggerConfig *trigger = session->config->trigger_config;
	int mode = session_trigger_mode(session);

	source_matching_begin(session);
	if (mode == START_TRACING)
		timer_set(&session->service->timers, &session->trigger_timer,
			  trigger->trigger_timeout_ms);
	else if (mode)
		session->duration_ms = trigger->trigger_timeout_ms;
	if (mode != START_TRACING && !session->config->deferred_start)
		session_start(session);
}

static bool may_enable(const struct consumer *c, const Pft__TraceConfig *config, char *error)
{
	if (c->session) {
		snprintf(error, SESSION_ERROR_MAX, "Another tracing session is already active on "
			 "this connection (forgot a call to FreeBuffers() ?)");
		return false;
	}
	if (!config) {
		snprintf(error, SESSION_ERROR_MAX, "EnableTracing() without trace_config");
		return false;
	}
	if (c->service->is_finishing) {
		snprintf(error, SESSION_ERROR_MAX, "The service is being stopped");
		return false;
	}
	return check_config(c->service, config, c->peer->cred.uid, error);
}

static bool boost(const struct session *session, char *error)
{
	int ret = sched_boost_update(session->service, session->config);

	if (ret)
		snprintf(error, SESSION_ERROR_MAX, "Failed to boost priority: %s", strerror(-ret));
	return !ret;
}

bool enable_session(struct consumer *c, Pft__TraceConfig *config, int fd, char *error)
{
	bool may = may_enable(c, config, error);

	if (may && config->write_into_file)
		return file_enable(c, config, fd, error);
	if (fd >= 0)
		connection_close_fd(c->peer, fd);
	if (may)
		return enable_with(c, config, NULL, error);
	if (config)
		pft__trace_config__free_unpacked(config, NULL);
	return false;
}

/* Checks everything again, as other sessions may have begun while the file was opened. */
static struct session *make(struct consumer *c, Pft__TraceConfig *config, struct disk *disk,
			    char *error)
{
	struct session *session = session_alloc(c->service, config, c->peer->cred.uid);

	if (!session) {
		snprintf(error, SESSION_ERROR_MAX, "out of memory");
		if (disk)
			disk_close(disk, true);
		return NULL;
	}
	if (disk)
		file_take(session, disk);
	session_set_uuid(session, config);
	if (may_enable(c, config, error) && session_load_filter(session, error) &&
	    session_make_buffers(session, error) && boost(session, error))
		return session;
	file_abandon(session);
	session_release(session);
	return NULL;
}

bool enable_with(struct consumer *c, Pft__TraceConfig *config, struct disk *disk, char *error)
{
	struct session *session = make(c, config, disk, error);
	struct service *s = c->service;

	if (!session)
		return false;
	guard_remember(s, config);
	lock_down(s, config);
	session_publish(session);
	control_open(session);
	end_others(session);
	session->consumer = c;
	c->session = session;
	begin(session);
	/* The consumer's next calls wait until the session has its sources. */
	if (session->look.is_first)
		connection_pause(c->peer);
	return true;
}
