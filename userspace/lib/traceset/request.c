// SPDX-License-Identifier: LGPL-2.1
/*
 * request.c - serves the requests of several viewers in one pass
 *
 * A pass goes to the earliest start of the waiting requests. A request joins the pass when the
 * pass reaches its start: when the next event is no longer before the start but was, or when the
 * pass is exactly at the start's position between two chunks. A request whose start was passed
 * earlier waits for a pass of its own. Limits are those of until.c, checked for each request as
 * if it read alone.
 *
 *            add             pass at its start            limit, hook
 *   (caller) ---> JOB_WAITS -------------------> JOB_IN ---------------> JOB_DONE
 *                     ^                            |
 *                     '--- foreground comes first -'          remove: any -> JOB_DONE
 *
 * Jobs that are done stay in the list until no function walks it.
 */
#include <ktrace/request.h>

#include "hooks.h"
#include "position.h"

#include <errno.h>
#include <stdlib.h>

enum job_state { JOB_WAITS, JOB_IN, JOB_DONE };

/**
 * struct job - a request
 * @next:	the job added next
 * @req:	as given
 * @start:	copy, or where it was interrupted; not set = req.start
 * @end:	copy
 * @until:	its limits and what was delivered
 * @state:	see above
 * @has_begun:	@req.before was called
 * @is_ahead:	its start is ahead of the pass
 * @is_in_chunk: its BEFORE hooks were called
 */
struct job {
	struct job *next;
	struct ktrace_request req;
	struct ktrace_position *start;
	struct ktrace_position *end;
	struct ktrace_until until;
	enum job_state state;
	bool has_begun;
	bool is_ahead;
	bool is_in_chunk;
};

/**
 * struct ktrace_service - requests for a traceset
 * @set:	the traceset
 * @jobs:	in order of addition
 * @here:	where the pass is, between chunks
 * @is_background: the pass serves background jobs
 */
struct ktrace_service {
	struct ktrace_traceset *set;
	struct job *jobs;
	struct ktrace_position *here;
	bool is_background;
};

int ktrace_service_new(struct ktrace_traceset *set, struct ktrace_service **out)
{
	struct ktrace_service *service = calloc(1, sizeof(*service));
	int ret = service ? ktrace_position_new(&service->here) : -ENOMEM;

	if (ret) {
		free(service);
		return ret;
	}
	service->set = set;
	*out = service;
	return 0;
}

static void free_job(struct job *job)
{
	ktrace_position_free(job->start);
	ktrace_position_free(job->end);
	free(job);
}

static void reap(struct ktrace_service *service, bool is_all)
{
	struct job **at = &service->jobs, *job;

	while ((job = *at)) {
		if (!is_all && job->state != JOB_DONE) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		free_job(job);
	}
}

void ktrace_service_free(struct ktrace_service *service)
{
	if (!service)
		return;
	reap(service, true);
	ktrace_position_free(service->here);
	free(service);
}

/* Returns the first job with these hooks. Later ones with the same hooks only wait for its end. */
static struct job *leader(const struct ktrace_service *service, const struct ktrace_hooks *hooks)
{
	struct job *job;

	for (job = service->jobs; job; job = job->next)
		if (job->state != JOB_DONE && job->req.hooks == hooks)
			return job;
	return NULL;
}

static int copy_positions(struct job *job)
{
	int ret = ktrace_position_new(&job->start);

	if (!ret)
		ret = ktrace_position_new(&job->end);
	if (!ret && job->req.start_position)
		ret = ktrace_position_copy(job->start, job->req.start_position);
	if (!ret && job->req.until.position)
		ret = ktrace_position_copy(job->end, job->req.until.position);
	job->until = job->req.until;
	job->until.position = job->end;
	job->until.delivered = 0;
	return ret;
}

int ktrace_service_add(struct ktrace_service *service, const struct ktrace_request *request)
{
	struct job **at = &service->jobs, *job;
	int ret;

	if (request->size != sizeof(*request) || !request->hooks ||
	    request->until.size != sizeof(request->until))
		return -EINVAL;
	job = leader(service, request->hooks);
	if (job && !(job->req.is_background && request->is_background))
		return -EINVAL;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->req = *request;
	ret = copy_positions(job);
	if (ret) {
		free_job(job);
		return ret;
	}
	while (*at)
		at = &(*at)->next;
	*at = job;
	return 0;
}

void ktrace_service_remove(struct ktrace_service *service, const void *owner)
{
	struct job *job;

	for (job = service->jobs; job; job = job->next) {
		if (job->state == JOB_DONE || job->req.owner != owner)
			continue;
		job->state = JOB_DONE;
		if (job->is_in_chunk)
			job->req.hooks->is_begun = false;
	}
}

size_t ktrace_service_pending(const struct ktrace_service *service, const void *owner)
{
	const struct job *job;
	size_t nr = 0;

	for (job = service->jobs; job; job = job->next)
		nr += job->state != JOB_DONE && (!owner || job->req.owner == owner);
	return nr;
}

/* Marks a job as done, and those that only wait for it. */
static void finish(struct ktrace_service *service, struct job *done, int stop)
{
	struct ktrace_hooks *hooks = done->req.hooks;
	struct job *job;

	if (done->is_in_chunk)
		ktrace_hooks_end(hooks, service->set);
	done->is_in_chunk = false;
	for (job = done; job; job = job->next) {
		if (job->state == JOB_DONE || job->req.hooks != hooks)
			continue;
		job->state = JOB_DONE;
		if (job->req.after)
			job->req.after(job->req.arg, stop);
	}
}

/* Lets the job take part in the chunk. */
static void enter(struct ktrace_service *service, struct job *job)
{
	int ret;

	job->state = JOB_IN;
	if (!job->has_begun && job->req.before)
		job->req.before(job->req.arg);
	job->has_begun = true;
	if (job->state != JOB_IN)
		return;
	job->is_in_chunk = true;
	ret = ktrace_hooks_begin(job->req.hooks, service->set);
	if (job->state != JOB_IN)	/* a callback has removed it */
		job->req.hooks->is_begun = false;
	if (!ret || job->state != JOB_IN)
		return;
	job->is_in_chunk = false;
	finish(service, job, ret);
}

/* True if the job waits for such a pass and is the leader of those with its hooks. */
static bool waits(const struct ktrace_service *service, const struct job *job)
{
	return job->state == JOB_WAITS && job->req.is_background == service->is_background &&
	       leader(service, job->req.hooks) == job;
}

static __u64 start_time(const struct job *job)
{
	return job->start->is_set ? ktrace_position_time(job->start) : job->req.start;
}

/*
 * True if @a starts earlier. At the same time, a start before all events of that time comes first.
 */
static bool is_earlier(const struct job *a, const struct job *b)
{
	if (start_time(a) != start_time(b))
		return start_time(a) < start_time(b);
	return b->start->is_set && (!a->start->is_set ||
				    ktrace_position_compare(a->start, b->start) < 0);
}

static struct job *earliest(const struct ktrace_service *service)
{
	struct job *job, *best = NULL;

	for (job = service->jobs; job; job = job->next)
		if (waits(service, job) && (!best || is_earlier(job, best)))
			best = job;
	return best;
}

/*
 * True if the pass has the events that are pending at the job's start. If the pass began after
 * their first fragments, it does not, and the job needs a pass of its own.
 */
static bool has_pendings(const struct ktrace_service *service, const struct job *job)
{
	return !job->start->is_set || service->set->fragments.nr >= job->start->pending_nr;
}

/* True if the start of the job is no longer ahead. */
static bool is_reached(const struct ktrace_service *service, const struct job *job)
{
	if (job->start->is_set)
		return ktrace_set_is_at(service->set, job->start);
	return ktrace_set_time(service->set) >= job->req.start;
}

/* True if a pass that begins is at the start of the job; it is not after any start by time. */
static bool is_here(const struct ktrace_service *service, const struct job *job)
{
	return is_reached(service, job) &&
	       (!job->start->is_set || !ktrace_position_compare(service->here, job->start));
}

/* Takes in jobs whose start the pass has reached. */
static void take_in(struct ktrace_service *service, bool is_beginning)
{
	struct job *job;

	for (job = service->jobs; job; job = job->next) {
		if (!waits(service, job))
			continue;
		if (is_beginning ? is_here(service, job) :
		    job->is_ahead && is_reached(service, job) && has_pendings(service, job))
			enter(service, job);
		else
			job->is_ahead = !is_reached(service, job);
	}
}

/* Begins a pass. Returns 1, 0 if there is nothing to do, -ENOMEM. */
static int begin_pass(struct ktrace_service *service)
{
	struct job *first;
	int ret;

	for (;;) {
		first = earliest(service);
		if (!first)
			return 0;
		ret = first->start->is_set ?
		      ktrace_traceset_seek_position(service->set, first->start) :
		      ktrace_traceset_seek(service->set, first->req.start);
		if (!ret)
			break;
		if (ret == -ENOMEM)
			return ret;
		finish(service, first, ret);
	}
	ret = ktrace_position_save(service->set, service->here);
	if (ret)
		return ret;
	enter(service, first);
	take_in(service, true);
	return 1;
}

/* Continues the pass where it stopped. */
static int resume_pass(struct ktrace_service *service)
{
	struct ktrace_position *now;
	struct job *job;
	int ret = ktrace_position_new(&now);

	if (!ret)
		ret = ktrace_position_save(service->set, now);
	if (!ret && ktrace_position_compare(now, service->here))
		ret = ktrace_traceset_seek_position(service->set, service->here);
	ktrace_position_free(now);
	for (job = service->jobs; job && !ret; job = job->next) {
		if (job->state == JOB_IN)
			enter(service, job);
		else if (waits(service, job) && job->start->is_set &&
			 !ktrace_position_compare(service->here, job->start))
			job->is_ahead = true;	/* added here: it joins */
	}
	return ret;
}

static bool is_serving(const struct ktrace_service *service)
{
	const struct job *job;

	for (job = service->jobs; job; job = job->next)
		if (job->state == JOB_IN)
			return true;
	return false;
}

/* Ends jobs that have reached a limit. */
static int end_jobs(struct ktrace_service *service)
{
	struct job *job;
	int ret = 0;

	for (job = service->jobs; job && !ret; job = job->next) {
		if (job->state != JOB_IN)
			continue;
		job->until.stop = KTRACE_STOP_NONE;
		ret = ktrace_until_look(service->set, &job->until);
		if (!ret && job->until.stop)
			finish(service, job, (int)job->until.stop);
	}
	return ret;
}

static void deliver(struct ktrace_service *service, const struct ktrace_trace_event *event)
{
	const struct ktrace_hook_call call = {
		.point = KTRACE_HOOK_EVENT, .set = service->set, .event = event,
		.stream = event->stream, .trace = event->stream->trace,
	};
	struct job *job;
	int ret;

	for (job = service->jobs; job; job = job->next) {
		if (job->state != JOB_IN)
			continue;
		job->until.delivered++;
		job->until.last = event->time;
		ret = ktrace_hooks_call(job->req.hooks, &call);
		if (ret && job->state == JOB_IN)
			finish(service, job, ret < 0 ? ret : KTRACE_STOP_HOOK);
	}
}

/* Reads up to @max events for the jobs of the pass. */
static int serve(struct ktrace_service *service, __u64 max)
{
	struct ktrace_trace_event event;
	int ret = 0;

	while (!ret) {
		ret = ktrace_set_settle(service->set);
		if (!ret) {
			take_in(service, false);
			ret = end_jobs(service);
		}
		if (ret || !max || !is_serving(service))
			break;
		ret = ktrace_set_step(service->set, &event);
		if (ret != 1)
			continue;
		ret = 0;
		max--;
		deliver(service, &event);
	}
	return ret;
}

static void end_chunk(struct ktrace_service *service)
{
	struct job *job;
	int ret;

	for (job = service->jobs; job; job = job->next) {
		if (job->state != JOB_IN)
			continue;
		job->is_in_chunk = false;
		ret = ktrace_hooks_end(job->req.hooks, service->set);
		if (ret && job->state == JOB_IN)
			finish(service, job, ret);
	}
}

/*
 * Chooses foreground or background jobs. Background jobs wait in place while there are foreground
 * jobs.
 */
static int choose(struct ktrace_service *service)
{
	bool is_background = true;
	struct job *job;
	int ret = 0;

	for (job = service->jobs; job; job = job->next)
		is_background &= job->state == JOB_DONE || job->req.is_background;
	for (job = service->jobs; job && !ret && !is_background; job = job->next)
		if (job->state == JOB_IN && job->req.is_background) {
			ret = ktrace_position_copy(job->start, service->here);
			job->state = JOB_WAITS;
			job->is_ahead = false;
		}
	service->is_background = is_background;
	return ret;
}

int ktrace_service_run(struct ktrace_service *service, __u64 max)
{
	int ret = choose(service);

	if (!ret)
		ret = is_serving(service) ? resume_pass(service) : begin_pass(service);
	if (ret >= 0)
		ret = serve(service, max);
	end_chunk(service);
	if (!ret)
		ret = ktrace_position_save(service->set, service->here);
	reap(service, false);
	return ret ? ret : service->jobs != NULL;
}
