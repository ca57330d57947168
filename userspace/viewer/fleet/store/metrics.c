// SPDX-License-Identifier: GPL-2.0
/* metrics.c - ktrace store --metrics: how the store goes, as OpenMetrics text */
#include "metrics.h"

#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/viewer.h"
#include "metrics/place.h"
#include "metrics/server.h"
#include "metrics/text.h"

enum {
	BUILD, START, COLLECTED, HOSTS, HOST_LAST, HOSTS_LEFT_OUT, FILES, BYTES, INCOMING, MESSAGES,
	REPEATS, PUT_BACK, DROPPED, REFUSED, ERRORS, CONNECTED, DISK_FREE, SCRAPES,
};

/* Documentation/fleet.md has the same table; scripts/check-docs compares them. */
static const struct metric metrics[] = {
	[BUILD] = { "ktrace_store_build", "info", NULL, "The program's version" },
	[START] = { "ktrace_store_start_time_seconds", "gauge", "seconds",
		    "When the program started, since the epoch; counters begin then" },
	[COLLECTED] = { "ktrace_store_collected_time_seconds", "gauge", "seconds",
			"When these values were collected, since the epoch; a second ago if all "
			"is well" },
	[HOSTS] = { "ktrace_store_hosts", "gauge", NULL, "Hosts that have a folder" },
	[HOST_LAST] = { "ktrace_store_host_last_file_seconds", "gauge", "seconds",
			"When the last file of a host was completed, since the epoch, by host; of "
			"the 100 latest hosts since the start" },
	[HOSTS_LEFT_OUT] = { "ktrace_store_hosts_left_out", "gauge", NULL,
			     "Hosts with a folder that this leaves out" },
	[FILES] = { "ktrace_store_files", "counter", NULL, "Files that were completed" },
	[BYTES] = { "ktrace_store_file_bytes", "counter", "bytes", "Size of these" },
	[INCOMING] = { "ktrace_store_incomplete_files", "gauge", NULL,
		       "Files that are not complete yet" },
	[MESSAGES] = { "ktrace_store_messages", "counter", NULL,
		       "Messages that should be pieces of files" },
	[REPEATS] = { "ktrace_store_repeats", "counter", NULL,
		      "Pieces that were there already: dropped" },
	[PUT_BACK] = { "ktrace_store_put_back", "counter", NULL,
		       "Pieces that came before those before them: put back" },
	[DROPPED] = { "ktrace_store_dropped", "counter", NULL,
		      "Those of them that were put back too often: dropped, their host sends them "
		      "again" },
	[REFUSED] = { "ktrace_store_refused", "counter", NULL,
		      "Messages that are none of ktrace ship: dropped" },
	[ERRORS] = { "ktrace_store_errors", "counter", NULL,
		     "Errors by kind: checksum, a file was dropped; gap, the part before a file is "
		     "not there; write, to the disk; broker, no connection" },
	[CONNECTED] = { "ktrace_store_connected", "gauge", NULL,
			"1 = connected to the broker" },
	[DISK_FREE] = { "ktrace_store_disk_free_bytes", "gauge", "bytes",
			"What is free in the file system of the folder" },
	[SCRAPES] = { "ktrace_store_scrapes", "counter", NULL,
		      "Requests for metrics, by result: given, refused, or dropped as too slow or "
		      "too many" },
};

int metrics_open(struct store *s, const char *place)
{
	int ret = place ? metrics_server_open(&s->metrics, place) : 0;

	if (!ret && place)
		ret = metrics_server_begin(s->metrics);
	if (ret) {
		complain_about(place, "metrics: %s", metrics_place_error(ret));
		metrics_close(s);
		return ret;
	}
	s->start_ns = clock_ns(CLOCK_REALTIME);
	if (place && !s->is_quiet)
		report_safely("ktrace store: metrics at %s", metrics_server_url(s->metrics));
	return 0;
}

static void put_hosts(FILE *to, const struct store *s)
{
	const unsigned int nr = files_hosts(&s->files), shown = s->hosts.nr;

	metric_put(to, &metrics[HOSTS], nr);
	metric_begin(to, &metrics[HOST_LAST]);
	for (unsigned int i = 0; i < shown; i++)
		metric_sample_ns(to, &metrics[HOST_LAST], "host", s->hosts.list[i].name,
				 s->hosts.list[i].last_ns);
	metric_put(to, &metrics[HOSTS_LEFT_OUT], nr > shown ? nr - shown : 0);
}

static void put_errors(FILE *to, const struct store *s)
{
	const struct metric *m = &metrics[ERRORS];

	metric_begin(to, m);
	metric_sample(to, m, "kind", "checksum", s->broken);
	metric_sample(to, m, "kind", "gap", s->gaps);
	metric_sample(to, m, "kind", "write", s->failures);
	metric_sample(to, m, "kind", "broker", s->broker_failures);
}

static void put_all(FILE *to, void *arg)
{
	struct store *s = arg;
	struct statvfs disk;

	metric_begin(to, &metrics[BUILD]);
	metric_sample(to, &metrics[BUILD], "version", KTRACE_VERSION, 1);
	metric_put_ns(to, &metrics[START], s->start_ns);
	metric_put_ns(to, &metrics[COLLECTED], clock_ns(CLOCK_REALTIME));
	put_hosts(to, s);
	metric_put(to, &metrics[FILES], s->stored);
	metric_put(to, &metrics[BYTES], s->bytes);
	metric_put(to, &metrics[INCOMING], files_incoming(&s->files));
	metric_put(to, &metrics[MESSAGES], s->messages);
	metric_put(to, &metrics[REPEATS], s->repeats);
	metric_put(to, &metrics[PUT_BACK], s->early);
	metric_put(to, &metrics[DROPPED], s->dropped);
	metric_put(to, &metrics[REFUSED], s->bad);
	put_errors(to, s);
	metric_put(to, &metrics[CONNECTED], s->data != NULL);
	if (!fstatvfs(s->files.dir, &disk))
		metric_put(to, &metrics[DISK_FREE], (__u64)disk.f_bavail * disk.f_frsize);
	metrics_server_put(s->metrics, to, &metrics[SCRAPES]);
	metrics_end(to);
}

void metrics_look(struct store *s)
{
	const __u64 now = now_ns();

	if (!s->metrics || (s->collected_ns && now - s->collected_ns < NS_PER_S))
		return;
	s->collected_ns = now;
	metrics_server_collect(s->metrics, put_all, s);
}

void metrics_close(struct store *s)
{
	metrics_server_close(s->metrics);
	s->metrics = NULL;
}
