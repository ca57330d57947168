// SPDX-License-Identifier: GPL-2.0
/*
 * show.c - what recordings have answered, as a table and as JSON
 *
 * Names come from the network: out_printf() and json_str() print no control characters. What is not
 * known is "?" in the table, and missing in JSON.
 */
#include "fleet.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ktrace/tracefile.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/table.h"
#include "base/viewer.h"

/* Columns of numbers */
#define COUNT_WIDTH 9
#define BYTES_WIDTH 10

static void put_unknown(struct ktrace_out *out, int width)
{
	out_printf(out, " %*s", width, "?");
}

static void put_count(struct ktrace_out *out, const struct answer *a, const char *key)
{
	__u64 value;

	if (answer_u64(a, key, &value))
		out_printf(out, " %*llu", COUNT_WIDTH, (unsigned long long)value);
	else
		put_unknown(out, COUNT_WIDTH);
}

static void put_bytes(struct ktrace_out *out, const struct answer *a, const char *key)
{
	__u64 value;

	if (!answer_u64(a, key, &value)) {
		put_unknown(out, BYTES_WIDTH);
		return;
	}
	ktrace_out_char(out, ' ');
	out_bytes(out, value);
}

static void put_duration(struct ktrace_out *out, const struct answer *a, const char *key)
{
	__u64 value;

	if (!answer_u64(a, key, &value)) {
		put_unknown(out, DURATION_WIDTH);
		return;
	}
	ktrace_out_char(out, ' ');
	out_duration(out, value);
}

/* "+ 12.3 ms +-  1.2 ms": how far its clock is ahead of ours */
static void put_offset(struct ktrace_out *out, const struct answer *a)
{
	__s64 offset;
	__u64 error;

	if (!answer_offset(a, &offset, &error)) {
		put_unknown(out, 2 * DURATION_WIDTH + 4);
		return;
	}
	out_printf(out, " %c", offset < 0 ? '-' : '+');
	out_duration(out, offset < 0 ? -(__u64)offset : (__u64)offset);
	ktrace_out_str(out, " +-");
	out_duration(out, error);
}

static void put_text(struct ktrace_out *out, const struct answer *a, const char *key, int width)
{
	char *value = answer_value(a, key);

	out_printf(out, " %-*.*s", width, width ? width : 4000, value ? value : "?");
	free(value);
}

/* What a recording does: what it says, and whether it is paused */
static const char *state_of(const struct answer *a)
{
	char *said = answer_value(a, "state");
	__u64 is_paused = 0;
	const char *state = "?";

	if (said && !strcmp(said, "live"))
		state = answer_u64(a, "paused", &is_paused) && is_paused ? "paused" : "running";
	else if (said && !strcmp(said, "ended"))
		state = "ended";
	else if (said && !strcmp(said, "silent"))
		state = "silent";
	free(said);
	return state;
}

static void put_host(struct ktrace_out *out, const struct answer *a)
{
	char folder[MESSAGE_HOST_MAX + 1];

	message_folder(folder, a->from.host);
	out_printf(out, "%-20s", folder);
}

static void put_row(const struct answer *a)
{
	struct ktrace_out *out = output();
	char *error = answer_value(a, "error");

	output_line_begin(out);
	put_host(out, a);
	put_text(out, a, "boot", 8);
	put_text(out, a, "pid", 7);
	out_printf(out, " %-7s", state_of(a));
	put_count(out, a, "events_s");
	put_count(out, a, "lost");
	put_count(out, a, "fill");
	put_count(out, a, "waiting");
	put_bytes(out, a, "waiting_bytes");
	put_duration(out, a, "lag_ns");
	put_duration(out, a, "clock_est_ns");
	put_offset(out, a);
	ktrace_out_char(out, ' ');
	put_text(out, a, "labels", 20);
	put_text(out, a, "file", 0);
	ktrace_out_char(out, '\n');
	if (error)
		out_printf(out, "        not written: %.400s\n", error);
	free(error);
}

static void json_said(struct ktrace_out *out, const char *key, const struct answer *a)
{
	char *value = answer_value(a, key);

	json_str(out, key, value);
	free(value);
}

static void json_said_u64(struct ktrace_out *out, const char *key, const struct answer *a)
{
	__u64 value;

	if (answer_u64(a, key, &value))
		json_u64(out, key, value);
}

static void json_reasons(struct ktrace_out *out, const struct answer *a)
{
	char key[32];
	__u64 value;

	json_open(out, "reasons", '{');
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++) {
		snprintf(key, sizeof(key), "lost_%s", ktrace_lost_name(i));
		if (answer_u64(a, key, &value))
			json_u64(out, ktrace_lost_name(i), value);
	}
	ktrace_out_char(out, '}');
}

static void json_state(struct ktrace_out *out, const struct answer *a)
{
	__s64 offset;
	__u64 error;

	json_said(out, "boot", a);
	json_said_u64(out, "pid", a);
	json_said(out, "labels", a);
	json_said(out, "allow", a);
	json_said(out, "uuid", a);
	json_said(out, "file", a);
	json_said_u64(out, "part", a);
	json_said_u64(out, "ns", a);
	json_said_u64(out, "recorded", a);
	json_said_u64(out, "events_s", a);
	json_said_u64(out, "bytes", a);
	json_said_u64(out, "bytes_s", a);
	json_said_u64(out, "fill", a);
	json_said_u64(out, "programs", a);
	json_said_u64(out, "free", a);
	json_said_u64(out, "waiting", a);
	json_said_u64(out, "waiting_bytes", a);
	json_said_u64(out, "lag_ns", a);
	json_said_u64(out, "clock_synced", a);
	json_said_u64(out, "clock_max_ns", a);
	json_said_u64(out, "clock_est_ns", a);
	if (answer_offset(a, &offset, &error)) {
		json_s64(out, "offset_ns", offset);
		json_u64(out, "offset_error_ns", error);
	}
	json_said(out, "error", a);
	json_said(out, "note", a);
	json_said_u64(out, "lost", a);
	json_reasons(out, a);
}

/* Begins the object of a recording. */
static struct ktrace_out *json_begin(const struct command_address *from)
{
	struct ktrace_out *out = output();
	char folder[MESSAGE_HOST_MAX + 1];

	output_line_begin(out);
	message_folder(folder, from->host);
	ktrace_out_char(out, '{');
	json_str(out, "host", folder);
	json_str(out, "session", from->session[0] ? from->session : NULL);
	return out;
}

void show_list(const struct fleet *f, const struct answers *all)
{
	struct ktrace_out *out = output();

	if (!f->is_json)
		out_printf(out, "%-20s %-8s %-7s %-7s %9s %9s %9s %9s %10s %9s %9s %22s  %-20s "
			   "FILE\n", "HOST", "BOOT", "PID", "STATE", "A SECOND", "LOST", "FULL %",
			   "UNSTORED", "BYTES", "LAG", "CLOCK ERR", "CLOCK AHEAD", "LABELS");
	for (size_t i = 0; i < all->nr; i++) {
		if (!f->is_json) {
			put_row(&all->list[i]);
			continue;
		}
		out = json_begin(&all->list[i].from);
		json_str(out, "state", state_of(&all->list[i]));
		json_state(out, &all->list[i]);
		ktrace_out_str(out, "}\n");
	}
}

/* Returns what became of a command. */
static const char *result_of(const struct answer *a)
{
	return answer_is_ok(a) ? "done" : a->text ? "refused" : "no answer";
}

static void put_result(const struct answer *a, const char *action, const char *why)
{
	struct ktrace_out *out = output();

	output_line_begin(out);
	put_host(out, a);
	out_printf(out, " %s  %-8s %s%s%.400s\n", a->from.session, action, result_of(a),
		   why ? ": " : "", why ? why : "");
}

static void json_result(const struct answer *a, const char *action, const char *why)
{
	struct ktrace_out *out = json_begin(&a->from);

	json_str(out, "action", action);
	json_str(out, "result", result_of(a));
	json_str(out, "reason", why);
	if (answer_is_ok(a)) {
		json_str(out, "state", state_of(a));
		json_state(out, a);
	}
	ktrace_out_str(out, "}\n");
}

bool show_results(const struct fleet *f, const struct answers *all)
{
	const char *action = fleet_actions[f->action];
	bool is_done = true;

	if (!f->is_json && all->nr)
		out_printf(output(), "%-20s %-16s  %-8s RESULT\n", "HOST", "SESSION", "ACTION");
	for (size_t i = 0; i < all->nr; i++) {
		const struct answer *a = &all->list[i];
		char *why = answer_value(a, answer_is_ok(a) ? "note" : "reason");

		if (f->is_json)
			json_result(a, action, why);
		else
			put_result(a, action, a->text ? why :
				   "whether it has done it is not known");
		is_done &= answer_is_ok(a);
		free(why);
	}
	return is_done;
}

static bool has_answered(const struct answers *all, const char *folder)
{
	char host[MESSAGE_HOST_MAX + 1];

	for (size_t i = 0; i < all->nr + all->others; i++) {
		message_folder(host, all->list[i].from.host);
		if (!strcmp(host, folder))
			return true;
	}
	return false;
}

static void put_absent(const struct fleet *f, const char *folder)
{
	struct ktrace_out *out = output();

	output_line_begin(out);
	if (f->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "host", folder);
		json_str(out, "state", "no answer");
		ktrace_out_str(out, "}\n");
	} else {
		out_printf(out, "%-20s %-8s %-7s no answer: known from the store\n", folder, "?",
			   "?");
	}
}

/* Not every file system tells, and a host's folder may be a link. */
static bool is_folder(const char *store, const struct dirent *e)
{
	char path[PATH_MAX];
	struct stat st;

	if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
		return e->d_type == DT_DIR;
	snprintf(path, sizeof(path), "%s/%s", store, e->d_name);
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int show_absent(const struct fleet *f, const struct answers *all)
{
	struct dirent **list;
	int nr = scandir(f->store, &list, NULL, alphasort), absent = 0;

	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		const char *name = list[i]->d_name;

		if (*name != '.' && is_folder(f->store, list[i]) && fleet_means_host(f, name) &&
		    !has_answered(all, name)) {
			put_absent(f, name);
			absent++;
		}
		free(list[i]);
	}
	free(list);
	return absent;
}
