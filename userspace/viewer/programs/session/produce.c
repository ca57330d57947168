// SPDX-License-Identifier: GPL-2.0
/*
 * produce.c - ktrace's own events as data sources of the service
 *
 *	StartDataSource ---> ktraced records into a file without packets
 *	StopDataSource  ---> it ends; ktrace export makes packets of the file; these are committed;
 *			     NotifyDataSourceStopped
 *
 * A source has one recording at a time: another session that wants it, too, gets nothing. Which
 * events are recorded is what legacy_config of the source's configuration says, as -e does; what is
 * run, nobody on the other side can say.
 */
#include "produce.h"

#include "commit.h"
#include "service.pb-c.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef Pft__GetAsyncCommandResponse Command;

#define ARGS_MAX 16

/*
 * struct source - a data source; instance: that records, 0 = none does; pid: of its ktraced;
 * path: of what it writes
 */
struct source {
	const char *name;
	bool is_kernel;
	__u64 instance;
	__u32 buffer;
	pid_t pid;
	char path[64];
};

struct producer {
	struct session *s;
	__u64 stream;
	struct source sources[2];
	struct commit commit;
};

static struct source *source_of(struct producer *p, __u64 instance)
{
	for (size_t i = 0; i < 2; i++)
		if (instance && p->sources[i].instance == instance)
			return &p->sources[i];
	return NULL;
}

static struct source *source_named(struct producer *p, const char *name)
{
	for (size_t i = 0; i < 2; i++)
		if (name && !strcmp(p->sources[i].name, name))
			return &p->sources[i];
	return NULL;
}

/* A program of ktrace: beside this one's folder */
static bool find_program(const char *name, char *path, size_t size)
{
	const ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;
	size_t room;

	if (n < 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	room = slash ? size - (size_t)(slash - path) : 0;
	return slash && (size_t)snprintf(slash, room, "/../../bin/%s", name) < room;
}

static pid_t start_program(const char *name, char **args)
{
	char path[4096];
	sigset_t none;
	pid_t pid;

	if (!find_program(name, path, sizeof(path)))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(path, args);
	complain_about(path, "%s", strerror(errno));
	_exit(127);
}

static void record(struct producer *p, struct source *source, const Pft__DataSourceConfig *config)
{
	const char *events = config->legacy_config;
	char *args[ARGS_MAX + 1] = {
		(char *)"ktraced", (char *)"-q", (char *)"-o", source->path, (char *)"-e",
	};
	int nr = 5;
	char **command = p->s->words;

	args[nr++] = (char *)(events && *events ? events : source->is_kernel ? "sched" : "*:*");
	if (source->is_kernel)
		args[nr++] = (char *)"--all";
	else if (p->s->word_nr)
		args[nr++] = (char *)"--";
	for (int i = 0; !source->is_kernel && i < p->s->word_nr && nr < ARGS_MAX; i++)
		args[nr++] = command[i];
	source->pid = start_program("ktraced", args);
}

static int start_source(struct producer *p, __u64 instance, const Pft__DataSourceConfig *config)
{
	struct source *source = source_named(p, config ? config->name : NULL);
	int fd;

	if (!source || source->instance)
		return 0;
	snprintf(source->path, sizeof(source->path), "/tmp/ktrace-session-XXXXXX");
	fd = mkstemp(source->path);
	if (fd < 0)
		return -errno;
	close(fd);
	source->instance = instance;
	source->buffer = config->target_buffer;
	record(p, source, config);
	return 0;
}

/* Ends the recording, whose file is whole then. Return: false: there is none */
static bool end_recording(struct source *source)
{
	int status = 0;

	if (source->pid <= 0)
		return false;
	kill(source->pid, SIGINT);
	while (waitpid(source->pid, &status, 0) < 0 && errno == EINTR)
		;
	source->pid = 0;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 125;
}

/* Packets of the recording, in a file of their own */
static bool export_packets(const struct source *source, char *path)
{
	char *args[] = { (char *)"ktrace", (char *)"export", (char *)"--to", (char *)"perfetto",
			 (char *)"--apart", (char *)"-o", path, (char *)source->path, NULL };
	const pid_t pid = start_program("ktrace", args);
	int status = 1;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static int notify(struct producer *p, __u64 instance)
{
	Pft__NotifyDataSourceStoppedRequest args = PFT__NOTIFY_DATA_SOURCE_STOPPED_REQUEST__INIT;

	args.has_data_source_id = true;
	args.data_source_id = instance;
	return client_call(&p->s->c, "NotifyDataSourceStopped", &args.base, -1, NULL);
}

static int stop_source(struct producer *p, __u64 instance)
{
	struct source *source = source_of(p, instance);
	char packets[80];
	int ret = 0;

	if (!source)
		return notify(p, instance);
	snprintf(packets, sizeof(packets), "%s.packets", source->path);
	if (end_recording(source) && export_packets(source, packets))
		ret = commit_file(&p->commit, &p->s->c, packets, source->buffer);
	unlink(packets);
	unlink(source->path);
	source->instance = 0;
	return ret ? ret : notify(p, instance);
}

/* There is nothing to hand over before the end. */
static int flush(struct producer *p, __u64 request)
{
	Pft__CommitDataRequest args = PFT__COMMIT_DATA_REQUEST__INIT;

	args.has_flush_request_id = true;
	args.flush_request_id = request;
	return client_call(&p->s->c, "CommitData", &args.base, -1, NULL);
}

static int obey(struct producer *p, const Command *m)
{
	switch (m->cmd_case) {
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_START_DATA_SOURCE:
		return start_source(p, m->start_data_source->new_instance_id,
				    m->start_data_source->config);
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_STOP_DATA_SOURCE:
		return stop_source(p, m->stop_data_source->instance_id);
	case PFT__GET_ASYNC_COMMAND_RESPONSE__CMD_FLUSH:
		return flush(p, m->flush->request_id);
	default:
		return 0;
	}
}

static int take_command(void *arg, const struct client_reply *r)
{
	struct producer *p = arg;
	Command *m;
	int ret;

	if (r->request != p->stream || !r->is_good)
		return 0;
	m = pft__get_async_command_response__unpack(NULL, r->size, r->data);
	if (!m)
		return -EPROTO;
	ret = obey(p, m);
	pft__get_async_command_response__free_unpacked(m, NULL);
	return ret;
}

static int announce(struct session *s, const char *name)
{
	Pft__RegisterDataSourceRequest args = PFT__REGISTER_DATA_SOURCE_REQUEST__INIT;
	Pft__DataSourceDescriptor d = PFT__DATA_SOURCE_DESCRIPTOR__INIT;

	d.name = (char *)name;
	d.has_will_notify_on_stop = d.will_notify_on_stop = true;
	args.data_source_descriptor = &d;
	return session_ask(s, "RegisterDataSource", &args.base);
}

static int begin(struct producer *p)
{
	Pft__InitializeConnectionRequest hello = PFT__INITIALIZE_CONNECTION_REQUEST__INIT;
	Pft__GetAsyncCommandRequest args = PFT__GET_ASYNC_COMMAND_REQUEST__INIT;
	int ret, status;

	hello.producer_name = (char *)"ktrace";
	status = session_ask(p->s, "InitializeConnection", &hello.base);
	for (size_t i = 0; i < 2 && !status; i++)
		status = announce(p->s, p->sources[i].name);
	if (status)
		return status;
	p->s->c.other = take_command;
	p->s->c.arg = p;
	ret = session_watch_signals(p->s);
	if (!ret)
		ret = client_call(&p->s->c, "GetAsyncCommand", &args.base, -1, &p->stream);
	return ret ? session_failed("GetAsyncCommand", ret, NULL) : STATUS_OK;
}

int session_produce(struct session *s)
{
	struct producer p = {
		.s = s,
		.sources = { { .name = "ktrace.user" },
			     { .name = "ktrace.kernel", .is_kernel = true } },
	};
	struct client_reply r;
	int ret = 0, status = begin(&p);

	while (!status && !ret)
		ret = client_wait(&s->c, 0, &r, -1);
	for (size_t i = 0; i < 2; i++)
		if (p.sources[i].instance) {
			end_recording(&p.sources[i]);
			unlink(p.sources[i].path);
		}
	/* SIGINT and SIGTERM are how it is ended. */
	return status || ret == -EINTR ? status : session_failed("produce", ret, NULL);
}
