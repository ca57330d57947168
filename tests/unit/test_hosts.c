// SPDX-License-Identifier: GPL-2.0
/* test_hosts.c - names of hosts, errors of their times as text, and what is certainly in order */
#include "make_trace.h"

#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../userspace/viewer/base/hosts.c"

#define FILES 5

/* Boots and names of the files; NULL = the file does not say */
static const struct {
	const char *boot;
	const char *name;
	const char *label;
	const char *host;
	__u32 machine;
} files[FILES] = {
	{ "b1", "client", "client#0", "client", 0 },
	{ "b2", "server", "server#1", "server#1", 1 },
	{ "b1", "client", "client#2", "client", 0 },
	{ "b3", "server", "server#3", "server#3", 3 },
	{ NULL, NULL, "#4", "#4", 4 },
};

static struct ktrace_traceset *open_all(int nr)
{
	struct ktrace_tracefile *tf;
	struct ktrace_traceset *set;
	char path[64], text[128];
	int i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/tmp/test_hosts.%d.%d", getpid(), i);
		CHECK_EQ(ktrace_tracefile_create(path, &tf), 0);
		if (files[i].boot) {
			snprintf(text, sizeof(text), "host boot=%s name=%s\n", files[i].boot,
				 files[i].name);
			make_meta(tf, text);
		}
		CHECK_EQ(ktrace_tracefile_close(tf), 0);
		CHECK_EQ(ktrace_traceset_add(set, path), 0);
		unlink(path);
	}
	return set;
}

static void check_text(const struct ktrace_out *out, const char *expected)
{
	CHECK_EQ(out->len, strlen(expected));
	CHECK(!memcmp(out->buf, expected, out->len));
}

static void test_names(void)
{
	struct ktrace_traceset *set = open_all(FILES);
	const struct ktrace_trace *trace;
	char text[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	size_t i;

	CHECK_EQ(hosts_count(set), 4);
	CHECK_EQ(hosts_label_width(set), strlen("server#1"));
	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++) {
		CHECK_EQ(machine_of(set, trace), files[i].machine);
		out.len = 0;
		hosts_put_label(&out, set, trace);
		check_text(&out, files[i].label);
		out.len = 0;
		hosts_put_name(&out, set, files[i].machine);
		check_text(&out, files[i].host);
	}
	ktrace_traceset_close(set);
	set = open_all(2);
	out.len = 0;
	hosts_put_label(&out, set, ktrace_traceset_trace(set, 1));
	check_text(&out, "server");
	ktrace_traceset_close(set);
}

/* The stated error is never smaller than the real one: it is rounded up. */
static void test_text(void)
{
	static const struct {
		__u64 ns;
		const char *text;
	} rows[] = {
		{ 0, "" }, { 1, "+-1ns" }, { 999, "+-999ns" }, { 1000, "+-1.0us" },
		{ 1001, "+-1.1us" }, { 1200, "+-1.2us" }, { 1201, "+-1.3us" },
		{ 99900, "+-99.9us" }, { 99901, "+-100us" }, { 999000, "+-999us" },
		{ 999001, "+-1.0ms" }, { 1500000, "+-1.5ms" }, { 2000000001, "+-2.1s" },
		{ 100000000001, "+-101s" }, { ~0ull - 1, "+-18446744074s" },
	};
	char text[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	struct time_error error = { .is_known = true };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		error.early_ns = rows[i].ns;
		error.late_ns = rows[i].ns / 2;
		out.len = 0;
		out_time_error(&out, &error);
		check_text(&out, rows[i].text);
	}
	error.is_known = false;
	out.len = 0;
	out_time_error(&out, &error);
	check_text(&out, "+-?");
}

static void test_json(void)
{
	char text[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	struct time_error error = { .is_known = true, .early_ns = 7, .late_ns = 7 };

	json_time_error(&out, &error);
	check_text(&out, ",\"error_ns\":7");
	out.len = 0;
	error.late_ns = 8;
	json_time_error(&out, &error);
	check_text(&out, ",\"error_ns\":8,\"early_ns\":7,\"late_ns\":8");
	out.len = 0;
	error.is_known = false;
	json_time_error(&out, &error);
	check_text(&out, ",\"error_ns\":null");
}

/* A distance has the errors of both ends. */
static void test_distance(void)
{
	const struct time_error unknown = { .is_known = false };
	const struct time_error a = { .is_known = true, .early_ns = 100, .late_ns = 3 };
	const struct time_error b = { .is_known = true, .early_ns = 4, .late_ns = 100 };
	struct time_error d;

	d = time_error_between(&a, &b);
	CHECK(d.is_known);
	CHECK_EQ(d.early_ns, 7);
	CHECK_EQ(d.late_ns, 200);
	CHECK(!time_error_between(&a, &unknown).is_known);
}

int main(void)
{
	setenv("LC_ALL", "C", 1);
	test_names();
	test_text();
	test_json();
	test_distance();
	return 0;
}
