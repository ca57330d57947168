// SPDX-License-Identifier: GPL-2.0
/* suite.c - results of the conformance suite, and how its programs come to streams and events */
#include "suite.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Shared by the program and the processes it forks. */
struct counts {
	atomic_uint results, bad;
};

static struct counts *counts;
static cpu_set_t cpus;

__attribute__((constructor)) static void begin(void)
{
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED)
		abort();
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		CPU_SET(0, &cpus);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static bool vresult(const struct place *p, const char *where, bool is_choice, bool good,
		    const char *format, va_list args)
{
	bool counts_not = !good && is_choice && !getenv("TRACE_CHOICES");

	printf("%s %u - [%s] ", good ? "ok" : "not ok", atomic_fetch_add(&counts->results, 1) + 1,
	       where);
	vprintf(format, args);
	puts(counts_not ? " # TO" "DO a choice of the implementation" : "");
	if (good)
		return true;
	note("%s:%d: %s", p->file, p->line, p->expression);
	if (!counts_not)
		atomic_fetch_add(&counts->bad, 1);
	return false;
}

bool result(const struct place *p, const char *where, bool is_choice, bool good,
	    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vresult(p, where, is_choice, good, format, args);
	va_end(args);
	return good;
}

bool compare(const struct place *p, const char *where, long long got, long long want,
	     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vresult(p, where, false, got == want, format, args);
	va_end(args);
	if (got != want)
		note("got %lld, want %lld", got, want);
	return got == want;
}

void needed(const struct place *p, int error)
{
	if (!error)
		return;
	printf("not ok %u - %s failed: %s\n", atomic_fetch_add(&counts->results, 1) + 1,
	       p->expression, strerror(error));
	note("%s:%d", p->file, p->line);
	atomic_fetch_add(&counts->bad, 1);
	exit(done());
}

void skip(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

int done(void)
{
	printf("1..%u\n", atomic_load(&counts->results));
	return atomic_load(&counts->bad) ? 1 : 0;
}

unsigned int often(unsigned int n)
{
	return getenv("TRACE_SHORT") && n > 1 ? (n + 7) / 8 : n;
}

trace_event_id_t event(const char *name)
{
	trace_event_id_t id;

	need(posix_trace_eventid_open(name, &id));
	return id;
}

void tell(trace_event_id_t id, uint64_t number)
{
	posix_trace_event(id, &number, sizeof(number));
}

uint64_t number_of(const struct seen *e)
{
	uint64_t number = ~0ull;

	if (e->len == sizeof(number))
		memcpy(&number, e->data, sizeof(number));
	return number;
}

bool try_next(trace_id_t trid, struct seen *e)
{
	need(posix_trace_trygetnext_event(trid, &e->info, e->data, sizeof(e->data), &e->len,
					  &e->unavailable));
	return !e->unavailable;
}

bool log_next(trace_id_t trid, struct seen *e)
{
	need(posix_trace_getnext_event(trid, &e->info, e->data, sizeof(e->data), &e->len,
				       &e->unavailable));
	return !e->unavailable;
}

size_t drain(trace_id_t trid)
{
	struct seen e;
	size_t n = 0;

	while (try_next(trid, &e))
		n++;
	return n;
}

bool find(trace_id_t trid, enum kind kind, trace_event_id_t id, struct seen *e)
{
	while (kind == RECORDED ? log_next(trid, e) : try_next(trid, e))
		if (posix_trace_eventid_equal(trid, e->info.posix_event_id, id))
			return true;
	return false;
}

bool is_called_in(const struct seen *e, const void *function)
{
	const char *at = e->info.posix_prog_address;

	return at > (const char *)function && at < (const char *)function + 4096;
}

static const struct {
	trace_event_id_t id;
	const char *name;
} system_events[] = {
	{ POSIX_TRACE_START, "START" },
	{ POSIX_TRACE_STOP, "STOP" },
	{ POSIX_TRACE_OVERFLOW, "OVERFLOW" },
	{ POSIX_TRACE_RESUME, "RESUME" },
	{ POSIX_TRACE_ERROR, "ERROR" },
	{ POSIX_TRACE_FILTER, "FILTER" },
	{ POSIX_TRACE_FLUSH_START, "FLUSH_START" },
	{ POSIX_TRACE_FLUSH_STOP, "FLUSH_STOP" },
};

static void name_of(trace_id_t trid, trace_event_id_t id, char *name)
{
	for (size_t i = 0; i < sizeof(system_events) / sizeof(system_events[0]); i++) {
		if (posix_trace_eventid_equal(trid, system_events[i].id, id)) {
			strcpy(name, system_events[i].name);
			return;
		}
	}
	if (posix_trace_eventid_get_name(trid, id, name))
		strcpy(name, "?");
}

const char *story(trace_id_t trid, enum kind kind)
{
	static char text[65536];
	struct seen e;
	size_t used = 0;

	text[0] = '\0';
	while (kind == RECORDED ? log_next(trid, &e) : try_next(trid, &e)) {
		if (used + TRACE_EVENT_NAME_MAX + 2 > sizeof(text))
			continue;
		if (used)
			text[used++] = ' ';
		name_of(trid, e.info.posix_event_id, text + used);
		used += strlen(text + used);
	}
	return text;
}

bool told(const struct place *p, const char *where, const char *got, const char *want,
	  const char *format, ...)
{
	bool good = strcmp(got, want) == 0;
	va_list args;

	va_start(args, format);
	vresult(p, where, false, good, format, args);
	va_end(args);
	if (!good)
		note("got \"%.500s\", want \"%s\"", got, want);
	return good;
}

void on_cpu(unsigned int n)
{
	cpu_set_t one;
	int cpu = 0;

	for (n %= (unsigned int)CPU_COUNT(&cpus);; cpu++)
		if (CPU_ISSET(cpu, &cpus) && !n--)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

struct posix_trace_status_info status(trace_id_t trid)
{
	struct posix_trace_status_info info;

	need(posix_trace_get_status(trid, &info));
	return info;
}

struct posix_trace_status_info await_flushed(trace_id_t trid)
{
	struct posix_trace_status_info s = status(trid), now = s;

	while (now.posix_stream_flush_status == POSIX_TRACE_FLUSHING) {
		pause_ms(1);
		now = status(trid);
		if (s.posix_stream_overrun_status == POSIX_TRACE_OVERRUN)
			now.posix_stream_overrun_status = POSIX_TRACE_OVERRUN;
		if (s.posix_log_overrun_status == POSIX_TRACE_OVERRUN)
			now.posix_log_overrun_status = POSIX_TRACE_OVERRUN;
		if (s.posix_stream_flush_error)
			now.posix_stream_flush_error = s.posix_stream_flush_error;
		s = now;
	}
	return s;
}

bool state(const struct place *p, const char *where, trace_id_t trid, int running, int full,
	   const char *format, ...)
{
	struct posix_trace_status_info s = status(trid);
	bool good = s.posix_stream_status == running && s.posix_stream_full_status == full;
	va_list args;

	va_start(args, format);
	vresult(p, where, false, good, format, args);
	va_end(args);
	if (!good)
		note("it is %s and %s",
		     s.posix_stream_status == POSIX_TRACE_RUNNING ? "running" : "suspended",
		     s.posix_stream_full_status == POSIX_TRACE_FULL ? "full" : "not full");
	return good;
}

trace_id_t stream(int policy, size_t size)
{
	trace_attr_t attr;
	trace_id_t trid;

	need(posix_trace_attr_init(&attr));
	if (policy)
		need(posix_trace_attr_setstreamfullpolicy(&attr, policy));
	if (size)
		need(posix_trace_attr_setstreamsize(&attr, size));
	need(posix_trace_create(0, &attr, &trid));
	need(posix_trace_attr_destroy(&attr));
	return trid;
}

trace_id_t started(int policy, size_t size)
{
	trace_id_t trid = stream(policy, size);
	struct seen e;

	need(posix_trace_start(trid));
	while (try_next(trid, &e))
		;
	return trid;
}

uint64_t fill(trace_id_t trid, trace_event_id_t id, uint64_t first)
{
	const uint64_t many = first + (1u << 24);
	struct posix_trace_status_info s;

	do {
		tell(id, first++);
		need(posix_trace_get_status(trid, &s));
	} while (s.posix_stream_full_status == POSIX_TRACE_NOT_FULL && first < many);
	if (first == many)
		note("the stream is not full after %u events", 1u << 24);
	return first;
}

void few_descriptors(void)
{
	struct rlimit limit;
	int next = dup(0);

	need(next < 0 ? errno : 0);
	close(next);
	need(getrlimit(RLIMIT_NOFILE, &limit) ? errno : 0);
	limit.rlim_cur = (rlim_t)next + 10;
	need(setrlimit(RLIMIT_NOFILE, &limit) ? errno : 0);
}

int new_file(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s/posix-suite-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(name);
	need(fd < 0 ? errno : 0);
	unlink(name);
	return fd;
}

trace_id_t logged(int fd, int stream_policy, int log_policy, size_t log_size)
{
	trace_attr_t attr;
	trace_id_t trid;

	need(posix_trace_attr_init(&attr));
	if (stream_policy)
		need(posix_trace_attr_setstreamfullpolicy(&attr, stream_policy));
	if (log_policy)
		need(posix_trace_attr_setlogfullpolicy(&attr, log_policy));
	if (log_size)
		need(posix_trace_attr_setlogsize(&attr, log_size));
	need(posix_trace_create_withlog(0, &attr, fd, &trid));
	need(posix_trace_attr_destroy(&attr));
	return trid;
}

trace_id_t reopened(int fd)
{
	trace_id_t trid;

	need(lseek(fd, 0, SEEK_SET) < 0 ? errno : 0);
	need(posix_trace_open(fd, &trid));
	return trid;
}

trace_id_t recorded(int *fd)
{
	trace_id_t trid;

	*fd = new_file();
	trid = logged(*fd, 0, 0, 0);
	need(posix_trace_start(trid));
	tell(event("a"), 1);
	tell(event("b"), 2);
	need(posix_trace_stop(trid));
	need(posix_trace_shutdown(trid));
	return reopened(*fd);
}

int in_child(void (*function)(void *argument), void *argument)
{
	int how = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid < 0 ? errno : 0);
	if (pid == 0) {
		function(argument);
		fflush(stdout);
		_exit(0);
	}
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	return how;
}

void in_good_child(void (*function)(void *argument), void *argument)
{
	int how = in_child(function, argument);

	if (how)
		check("suite", false, "the child process ended with %#x", how);
}

void pause_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

void await_sleep(pid_t tid)
{
	char name[64], stat[512], *state_at;
	size_t len;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", (int)tid);
	for (int i = 0; i < 30000; i++) {
		f = fopen(name, "r");
		if (!f)
			return;
		/* The name, in parentheses, may have lines. */
		len = fread(stat, 1, sizeof(stat) - 1, f);
		fclose(f);
		stat[len] = '\0';
		state_at = strrchr(stat, ')');
		if (state_at && state_at[2] == 'S')
			return;
		pause_ms(1);
	}
}
