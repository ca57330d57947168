// SPDX-License-Identifier: GPL-2.0
/*
 * user_ledger.c - run a command in a session of its own and account for every event
 *
 *   user_ledger [-p policy] [-r ring] [-b block] [-t thread rings] [-T timeout_ms]
 *		 [-f filter] [-e event] [-d reader's pause, us] [-l] -- command ...
 *
 * The command may print "wrote WRITER MIN MAX" for each of its writers (user_flood.c):
 * how many events it has recorded. Everything else it prints is passed on. An event
 * that -e names is switched on when it has been registered. At the end:
 *
 *   event NAME COUNT		of each event type
 *   process|thread COMM ...	entries of the registry (-l: in full)
 *   lost REASON COUNT
 *   ledger ok|BAD written=MIN..MAX read=N lost=N
 *
 * KTRACE_BACKEND=shm|dev in the environment chooses the back end.
 *
 * Exit status 1 if a number does not fit, if an event of a writer came twice, out of
 * order or with wrong bytes, or if anything was corrupt.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ktrace/session.h>

#define WRITER_NR 100000

/* A record in the order of arrival; fragments are put together at the end. */
struct item {
	__u64 ts;
	__u64 number;
	__u32 tid_flags;
	__u32 len;
	__u16 id;
	unsigned char *payload;
};

struct written {
	__u64 min, max, read, next_seq;
};

static struct item *items;
static size_t item_nr, item_cap;
static struct written writers[WRITER_NR];
static char *names[KTRACE_ID_ALL];
static __u64 counts[KTRACE_ID_ALL];
static bool is_bad;
static bool is_long;
static const char *switched_on = "";

static void __attribute__((format(printf, 1, 2))) bad(const char *format, ...)
{
	va_list ap;

	is_bad = true;
	va_start(ap, format);
	printf("BAD ");
	vprintf(format, ap);
	printf("\n");
	va_end(ap);
}

static void *must(void *p)
{
	if (!p) {
		perror("user_ledger");
		exit(125);
	}
	return p;
}

static void keep(const struct ktrace_record *rec, const char *payload)
{
	struct item *it;

	if (item_nr == item_cap) {
		item_cap = item_cap ? 2 * item_cap : 4096;
		items = must(realloc(items, item_cap * sizeof(*items)));
	}
	it = &items[item_nr];
	*it = (struct item){ rec->ts, item_nr, rec->tid_flags, rec->len, rec->id, NULL };
	it->payload = must(malloc(rec->len + 1u));
	memcpy(it->payload, payload, rec->len);
	item_nr++;
}

static void keep_records(const char *data, size_t size, bool has_header)
{
	size_t off = has_header ? sizeof(struct ktrace_block) : 0;
	struct ktrace_record rec;

	while (size - off >= sizeof(rec)) {
		memcpy(&rec, data + off, sizeof(rec));
		if (rec.id == KTRACE_ID_PAD)
			break;
		if (KTRACE_RECORD_SIZE(rec.len) > size - off) {
			bad("record of %u bytes", rec.len);
			break;
		}
		if (rec.id != KTRACE_ID_LOST)
			keep(&rec, data + off + sizeof(rec));
		off += KTRACE_RECORD_SIZE(rec.len);
	}
}

static void read_stream(struct ktrace_session *s, __u32 nr, const struct ktrace_stream *info)
{
	char *copy = must(malloc(info->block_size));
	struct ktrace_chunk c;
	__u32 blocks = 0;

	while (blocks++ < 64 && ktrace_stream_peek(s, nr, true, &c)) {
		memcpy(copy, c.data, c.size);
		if (!ktrace_stream_still_valid(s, nr, &c))
			continue;
		if (c.corrupt)
			bad("corrupt at %llu of stream %u", (unsigned long long)c.pos, nr);
		keep_records(copy, c.size, c.size && !(c.pos % info->block_size));
		ktrace_stream_advance(s, nr, &c);
	}
	free(copy);
}

static void read_all(struct ktrace_session *s)
{
	struct ktrace_stream info;
	__u32 i;

	for (i = 0; i < ktrace_stream_nr(s); i++) {
		ktrace_stream_info(s, i, &info);
		read_stream(s, i, &info);
	}
}

static void read_registry(struct ktrace_session *s)
{
	static struct ktrace_entry_copy e;
	int result;

	while ((result = ktrace_registry_next(s, &e)) > 0) {
		if (e.type == KTRACE_ENTRY_EVENT) {
			if (names[e.id])
				bad("id %u of %s is also %s", e.id, names[e.id], e.text);
			names[e.id] = must(strdup(e.text));
			if (strcspn(e.text, "{") == strlen(switched_on) &&
			    !strncmp(e.text, switched_on, strlen(switched_on)))
				ktrace_session_enable(s, KTRACE_CHANNEL_USER, e.id, true);
		} else if (is_long) {
			printf("%s pid=%u tid=%u %s\n",
			       e.type == KTRACE_ENTRY_PROCESS ? "process" : "thread", e.pid,
			       e.tid, e.text);
		}
	}
	if (result < 0)
		bad("registry: %s", strerror(-result));
}

/* By thread, in order of time; equal stamps as they came. */
static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	__u32 xt = x->tid_flags & KTRACE_TID_MASK, yt = y->tid_flags & KTRACE_TID_MASK;

	if (xt != yt)
		return xt < yt ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void check_fill(const unsigned char *p, size_t len, __u32 writer, __u64 seq)
{
	__u32 nr;
	size_t i;

	if (!len)
		return;
	memcpy(&nr, p, sizeof(nr));
	if (len != nr + sizeof(nr)) {
		bad("writer %u event %llu: %zu bytes for %u", writer, (unsigned long long)seq,
		    len, nr);
		return;
	}
	for (i = 0; i < nr; i++)
		if (p[sizeof(nr) + i] != (unsigned char)(writer + seq + i)) {
			bad("writer %u event %llu: byte %zu", writer, (unsigned long long)seq, i);
			return;
		}
}

static void check_event(__u16 id, const unsigned char *p, size_t len)
{
	struct written *w;
	__u32 writer;
	__u64 seq;

	counts[id]++;
	if (!names[id]) {
		bad("event %u is not in the registry", id);
		return;
	}
	if (strncmp(names[id], "flood:", 6))
		return;
	memcpy(&writer, p, sizeof(writer));
	memcpy(&seq, p + sizeof(writer), sizeof(seq));
	if (len < sizeof(writer) + sizeof(seq) || writer >= WRITER_NR) {
		bad("writer %u", writer);
		return;
	}
	w = &writers[writer];
	w->read++;
	if (seq < w->next_seq)
		bad("writer %u: %llu behind %llu", writer, (unsigned long long)seq,
		    (unsigned long long)w->next_seq - 1);
	w->next_seq = seq + 1;
	check_fill(p + 12, len - 12, writer, seq);
}

/* Puts the fragments from @first on together. Return: number of items they were. */
static size_t check_fragments(size_t first, __u64 *incomplete)
{
	const struct item *it = &items[first];
	unsigned char *whole;
	__u32 total, have;
	size_t nr = 1;

	memcpy(&total, it->payload, sizeof(total));
	whole = must(malloc(total + 65536ul));
	have = it->len - (__u32)sizeof(total);
	memcpy(whole, it->payload + sizeof(total), have);
	while (have < total && first + nr < item_nr &&
	       items[first + nr].tid_flags == ((it->tid_flags & KTRACE_TID_MASK) |
					       KTRACE_REC_FRAG_NEXT)) {
		memcpy(whole + have, items[first + nr].payload, items[first + nr].len);
		have += items[first + nr].len;
		nr++;
	}
	if (have == total)
		check_event(it->id, whole, total);
	else
		++*incomplete;
	free(whole);
	return nr;
}

static __u64 check_items(void)
{
	__u64 incomplete = 0;
	size_t i = 0;

	qsort(items, item_nr, sizeof(*items), compare);
	while (i < item_nr) {
		if (items[i].tid_flags & KTRACE_REC_FRAG_FIRST) {
			i += check_fragments(i, &incomplete);
		} else if (items[i].tid_flags & KTRACE_REC_FRAG_NEXT) {
			i++;
		} else {
			check_event(items[i].id, items[i].payload, items[i].len);
			i++;
		}
	}
	return incomplete;
}

static __u64 sum_lost(struct ktrace_session *s)
{
	static const char *const reasons[KTRACE_LOST_NR] = {
		"full", "stopped", "timeout", "nested", "noring", "overwritten", "corrupt",
	};
	struct ktrace_lost lost, sum = { { 0 } };
	__u64 total = 0;
	__u32 i, k;

	for (i = 0; i < ktrace_stream_nr(s); i++) {
		ktrace_stream_lost(s, i, &lost);
		for (k = 0; k < KTRACE_LOST_NR; k++)
			sum.count[k] += lost.count[k];
	}
	for (k = 0; k < KTRACE_LOST_NR; k++) {
		total += sum.count[k];
		if (sum.count[k])
			printf("lost %s %llu\n", reasons[k], (unsigned long long)sum.count[k]);
	}
	return total;
}

static void balance(struct ktrace_session *s, __u64 incomplete)
{
	__u64 lost = sum_lost(s), min = 0, max = 0, got = 0;
	__u32 i;

	for (i = 0; i < WRITER_NR; i++) {
		const struct written *w = &writers[i];

		min += w->min;
		max += w->max;
		got += w->read;
		if (w->read > w->max || (!lost && w->read < w->min))
			bad("writer %u wrote %llu to %llu, read %llu", i,
			    (unsigned long long)w->min, (unsigned long long)w->max,
			    (unsigned long long)w->read);
	}
	if (got + lost < min || got + lost > max)
		is_bad = true;
	for (i = 0; i < KTRACE_ID_ALL; i++)
		if (names[i])
			printf("event %.*s %llu\n", (int)strcspn(names[i], "{"), names[i],
			       (unsigned long long)counts[i]);
	printf("ledger %s written=%llu..%llu read=%llu lost=%llu incomplete=%llu\n",
	       is_bad ? "BAD" : "ok", (unsigned long long)min, (unsigned long long)max,
	       (unsigned long long)got, (unsigned long long)lost, (unsigned long long)incomplete);
}

/* One line of the command's output. */
static void take_line(const char *line)
{
	unsigned long long writer, min, max;

	if (sscanf(line, "wrote %llu %llu %llu", &writer, &min, &max) != 3) {
		printf("%s\n", line);
		return;
	}
	if (writer >= WRITER_NR) {
		bad("writer %llu", writer);
		return;
	}
	writers[writer].min += min;
	writers[writer].max += max;
}

/* Whatever there is now. False: nobody can write to the pipe any more. */
static bool take_output(int fd)
{
	static char line[4096];
	static size_t len;
	char c;
	ssize_t n;

	while ((n = read(fd, &c, 1)) == 1) {
		if (c != '\n' && len < sizeof(line) - 1) {
			line[len++] = c;
			continue;
		}
		line[len] = '\0';
		len = 0;
		take_line(line);
	}
	return n < 0 && errno == EAGAIN;
}

static pid_t start(char **argv, const char *env, int out[2])
{
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setenv("KTRACE_SESSION", env, 1);
		dup2(out[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(out[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	return pid;
}

/* Reads until the command and all that it has left behind are gone. */
static int run(struct ktrace_session *s, char **argv, useconds_t pause_us)
{
	struct ktrace_session_info info;
	int out[2], status = 0, first_status = 0;
	pid_t pid, gone;

	ktrace_session_info(s, &info);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = start(argv, info.env, out);
	for (;;) {
		gone = waitpid(-1, &status, WNOHANG);
		if (gone == pid)
			first_status = status;
		read_registry(s);
		read_all(s);
		take_output(out[0]);
		ktrace_session_reclaim(s);
		if (gone < 0)
			break;
		if (pause_us)
			usleep(pause_us);
	}
	read_registry(s);
	read_all(s);
	return first_status;
}

static __u32 policy_of(const char *name)
{
	static const char *const policies[] = { "drop", "overwrite", "block", "stop" };
	__u32 i;

	for (i = 0; i < KTRACE_POLICY_NR; i++)
		if (!strcmp(name, policies[i]))
			return i;
	fprintf(stderr, "user_ledger: no policy %s\n", name);
	exit(125);
}

static int backend(void)
{
	const char *name = getenv("KTRACE_BACKEND");

	return name && !strcmp(name, "dev") ? KTRACE_BACKEND_DEV : KTRACE_BACKEND_SHM;
}

int main(int argc, char **argv)
{
	struct ktrace_session_options opts = {
		.size = sizeof(opts), .backend = backend(), .ring_size = 1 << 20,
		.thread_size = 1 << 18, .registry_size = 1 << 20, .block_size = 1 << 14,
		.thread_nr = 64, .timeout_ms = 10000,
	};
	char reason[KTRACE_REASON_SIZE];
	struct ktrace_session *s;
	useconds_t pause_us = 0;
	int status, c;

	while ((c = getopt(argc, argv, "+p:r:b:t:T:f:e:d:l")) != -1)
		switch (c) {
		case 'p': opts.policy = policy_of(optarg); break;
		case 'r': opts.ring_size = opts.thread_size = strtoull(optarg, NULL, 0); break;
		case 'b': opts.block_size = (__u32)atoi(optarg); break;
		case 't': opts.thread_nr = (__u32)atoi(optarg); break;
		case 'T': opts.timeout_ms = (__u32)atoi(optarg); break;
		case 'f': opts.filter = optarg; break;
		case 'e': switched_on = optarg; break;
		case 'd': pause_us = (useconds_t)atoi(optarg); break;
		case 'l': is_long = true; break;
		default: return 125;
		}
	if (ktrace_session_create(&opts, &s, reason)) {
		fprintf(stderr, "user_ledger: %s\n", reason);
		return 125;
	}
	ktrace_session_start(s);
	status = run(s, argv + optind, pause_us);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		printf("status %d signal %d\n", WEXITSTATUS(status),
		       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	balance(s, check_items());
	ktrace_session_destroy(s);
	return is_bad;
}
