// SPDX-License-Identifier: GPL-2.0
/*
 * simpleperf.c - reads the text of simpleperf report-sample
 *
 *   sample:
 *     event_type: cpu-cycles
 *     time: 21487182666131
 *     event_count: 25000
 *     thread_id: 1706
 *     thread_name: work
 *     vaddr_in_file: 3f8
 *     file: /system/lib64/libc.so
 *     symbol: memcpy
 *     callchain:
 *       vaddr_in_file: ...
 *
 * Addresses are those in the file.
 */
#include "simpleperf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool simpleperf_is(const char *line)
{
	return !strcmp(line, "sample:") || !strcmp(line, "lost_situation:");
}

static int put_event(struct simpleperf *s, struct perf_job *job)
{
	char text[1] = "";

	if (s->is_put)
		return 0;
	s->is_put = true;
	s->line.comm = s->comm;
	s->line.event = *s->event ? s->event : "sample";
	s->line.text = text;
	return perf_job_event(job, &s->line);
}

/* Adds the frame; its texts stay until the next one is added. */
static int put_frame(struct simpleperf *s, struct perf_job *job)
{
	int ret = put_event(s, job);

	if (ret || !s->has_frame)
		return ret;
	s->has_frame = false;
	s->frame.code.function = s->texts[0];
	s->frame.code.module = s->texts[1];
	ret = perf_job_frame(job, &s->frame);
	/* The job adds a frame when the next one begins: have it done now. */
	return ret ? ret : perf_job_end_frame(job);
}

static void begin_frame(struct simpleperf *s, const char *value)
{
	for (int i = 0; i < 2; i++) {
		free(s->texts[i]);
		s->texts[i] = NULL;
	}
	s->frame = (struct perf_frame){ .address = strtoull(value, NULL, 16) };
	s->has_frame = true;
}

static int begin_sample(struct simpleperf *s, struct perf_job *job)
{
	int ret = s->is_sample ? put_frame(s, job) : 0;

	s->is_sample = s->is_put = s->is_lost = false;
	s->line = (struct perf_line){ .tid = IMPORT_WRITER_TID_UNKNOWN, .cpu = -1 };
	s->comm[0] = s->event[0] = 0;
	return ret;
}

static int take_text(struct simpleperf *s, int i, const char *value)
{
	if (s->texts[i] || !strcmp(value, "unknown"))
		return 0;
	s->texts[i] = strdup(value);
	return s->texts[i] ? 0 : -ENOMEM;
}

static int take_key(struct simpleperf *s, struct perf_job *job, const char *key,
		    const char *value)
{
	int ret;

	if (!strcmp(key, "vaddr_in_file")) {
		ret = put_frame(s, job);
		begin_frame(s, value);
		return ret;
	}
	if (!strcmp(key, "symbol"))
		return take_text(s, 0, value);
	if (!strcmp(key, "file"))
		return take_text(s, 1, value);
	if (!strcmp(key, "event_type"))
		snprintf(s->event, sizeof(s->event), "%s", value);
	else if (!strcmp(key, "thread_name"))
		snprintf(s->comm, sizeof(s->comm), "%s", value);
	else if (!strcmp(key, "event_count"))
		s->line.period = strtoull(value, NULL, 10);
	else if (!strcmp(key, "thread_id"))
		s->line.tid = (__u32)strtoull(value, NULL, 10) & KTRACE_TID_MASK;
	if (strcmp(key, "time"))
		return 0;
	s->line.ns = strtoull(value, NULL, 10);
	s->line.has_time = true;
	return 0;
}

static int take_loss(struct simpleperf *s, struct perf_job *job, const char *value)
{
	struct ktrace_lost newly = { 0 };
	int ret = import_writer_has_about(job->f) ? 0 : perf_job_begin(job);

	newly.count[KTRACE_LOST_FULL] = strtoull(value, NULL, 10);
	s->is_lost = false;
	if (ret || !newly.count[KTRACE_LOST_FULL])
		return ret;
	ret = perf_job_end(job);
	return ret ? ret : import_writer_lost(job->f, KTRACE_CHANNEL_KERNEL, -1, job->last_ns,
					      &newly);
}

int simpleperf_take(struct simpleperf *s, struct perf_job *job, const char *line, bool *is_known)
{
	const char *at = line + strspn(line, " \t"), *colon = strchr(at, ':');
	char key[32];
	int ret;

	*is_known = true;
	if (!strcmp(line, "sample:")) {
		ret = begin_sample(s, job);
		s->is_sample = true;
		return ret;
	}
	if (!strcmp(line, "lost_situation:") || !strcmp(line, "meta_info:") ||
	    !strcmp(line, "context_switch:") || !strcmp(line, "debug_unwind_meta_info:")) {
		ret = begin_sample(s, job);
		s->is_lost = *line == 'l';
		return ret;
	}
	if (!*at)
		return 0;
	*is_known = colon && at != line && (size_t)(colon - at) < sizeof(key);
	if (!*is_known)
		return 0;
	snprintf(key, sizeof(key), "%.*s", (int)(colon - at), at);
	colon += 1 + (colon[1] == ' ');
	if (s->is_lost && !strcmp(key, "lost_count"))
		return take_loss(s, job, colon);
	return s->is_sample ? take_key(s, job, key, colon) : 0;
}

int simpleperf_end(struct simpleperf *s, struct perf_job *job)
{
	return begin_sample(s, job);
}

void simpleperf_free(struct simpleperf *s)
{
	free(s->texts[0]);
	free(s->texts[1]);
}
