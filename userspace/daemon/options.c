// SPDX-License-Identifier: GPL-2.0
/* options.c - the command line of ktraced, Documentation/man/ktraced.8 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/level.h>
#include <ktrace/nearest.h>
#include <ktrace/session.h>
#include <ktrace/shark_port.h>
#include <ktrace/tracefile.h>

#include <ktrace/packet.h>

#include "base/disk_room.h"
#include "base/log.h"
#include "base/option_text.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "events/kernel_filter.h"
#include "help.h"
#include "named.h"

#ifndef KTRACE_VERSION
#define KTRACE_VERSION "0.1"
#endif

#define RING_MIN (KTRACE_RING_BLOCKS_MIN * (__u64)KTRACE_BLOCK_MIN)
#define RING_DEFAULT (4ull << 20)
#define BLOCK_DEFAULT (64u << 10)
#define THREAD_NR_DEFAULT 64
#define THREAD_NR_MAX 4096
#define SPLIT_MAX (1ull << 40)
/* What one producer gets if it does not say how much it needs */
#define PRODUCER_MEMORY_MIN (256ull << 10)
#define PRODUCER_MEMORY_MAX (1ull << 40)

enum { OPT_POLICY = 256, OPT_ALL, OPT_DURATION, OPT_BACKEND, OPT_BLOCK, OPT_THREADS,
       OPT_COMPRESS, OPT_FAIL, OPT_PTHREAD, OPT_BASELINE, OPT_SPLIT_SIZE,
       OPT_SPLIT_TIME, OPT_KEEP, OPT_MAX_SIZE, OPT_MIN_FREE, OPT_CONTEXT,
       OPT_WHERE, OPT_SHARK_FILES, OPT_SHARK_UDP,
       OPT_RECOVER, OPT_LIST, OPT_DISCARD, OPT_ALL_USERS, OPT_MODE,
       OPT_SERVICE, OPT_NO_PRODUCER, OPT_MEMORY, OPT_JSON, OPT_OPTIONAL, OPT_VERSION };

static const struct option longopts[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "buffer", required_argument, NULL, 'b' },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "events", required_argument, NULL, 'e' },
	{ "optional", no_argument, NULL, OPT_OPTIONAL },
	{ "where", required_argument, NULL, OPT_WHERE },
	{ "context", required_argument, NULL, OPT_CONTEXT },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "pid", required_argument, NULL, 'p' },
	{ "pthread", no_argument, NULL, OPT_PTHREAD },
	{ "level", required_argument, NULL, 'l' },
	{ "baseline", no_argument, NULL, OPT_BASELINE },
	{ "quiet", no_argument, NULL, 'q' },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "backend", required_argument, NULL, OPT_BACKEND },
	{ "block-size", required_argument, NULL, OPT_BLOCK },
	{ "thread-rings", required_argument, NULL, OPT_THREADS },
	{ "compress", optional_argument, NULL, OPT_COMPRESS },
	{ "split-size", required_argument, NULL, OPT_SPLIT_SIZE },
	{ "split-time", required_argument, NULL, OPT_SPLIT_TIME },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "max-size", required_argument, NULL, OPT_MAX_SIZE },
	{ "min-free", required_argument, NULL, OPT_MIN_FREE },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "shark-files", required_argument, NULL, OPT_SHARK_FILES },
	{ "shark-udp", required_argument, NULL, OPT_SHARK_UDP },
	{ "fail-on-loss", no_argument, NULL, OPT_FAIL },
	{ "recover", no_argument, NULL, OPT_RECOVER },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "discard", no_argument, NULL, OPT_DISCARD },
	{ "all-users", no_argument, NULL, OPT_ALL_USERS },
	{ "service", no_argument, NULL, OPT_SERVICE },
	{ "no-producer", no_argument, NULL, OPT_NO_PRODUCER },
	{ "producer-memory", required_argument, NULL, OPT_MEMORY },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int usage_error(const char *what, const char *value)
{
	log_error("%s '%s'", what, value);
	return EXIT_OWN;
}

static int set_buffer(struct options *o, const char *text)
{
	__u64 size;

	if (!parse_size(text, &size))
		return usage_error("-b needs a size such as 512K, 1.5M or 1G, not", text);
	if (size < RING_MIN || size > KTRACE_RING_MAX)
		return usage_error("-b must be from 16K to 16G, not", text);
	o->ring_size = RING_MIN;
	while (o->ring_size < size)
		o->ring_size *= 2;
	return -1;
}

static int set_block(struct options *o, const char *text)
{
	__u64 size;

	if (!parse_size(text, &size) || size < KTRACE_BLOCK_MIN || size > KTRACE_BLOCK_MAX ||
	    (size & (size - 1)))
		return usage_error("--block-size must be a power of two from 4K to 1M, not", text);
	o->block_size = (__u32)size;
	return -1;
}

static int set_policy(struct options *o, const char *text)
{
	o->policy = ktrace_policy_find(text);
	if (o->policy == KTRACE_POLICY_NR)
		return usage_error("--policy must be drop, overwrite, block or stop, not", text);
	return -1;
}

static int set_backend(struct options *o, const char *text)
{
	if (!strcmp(text, "dev"))
		o->backend = KTRACE_BACKEND_DEV;
	else if (!strcmp(text, "shm"))
		o->backend = KTRACE_BACKEND_SHM;
	else
		return usage_error("--backend must be dev or shm, not", text);
	return -1;
}

static int add_context(struct options *o, const char *text)
{
	char reason[256];

	if (context_specs_parse(&o->wishes, text, reason, sizeof(reason)))
		return -1;
	log_error("--context: %s", reason);
	return EXIT_OWN;
}

static int set_level(struct options *o, const char *text)
{
	char bad[32];

	o->choice.has_levels = true;
	if (ktrace_level_parse(text, &o->choice.levels, bad, sizeof(bad)))
		return -1;
	log_error("--level: there is no '%s', but %s", bad, ktrace_level_choices());
	return EXIT_OWN;
}

static int add_pids(struct options *o, char *list)
{
	char *item;

	while ((item = strsep(&list, ","))) {
		__u64 pid;

		if (!parse_count(item, &pid) || !pid || pid > KTRACE_TID_MASK)
			return usage_error("-p needs process ids, not", item);
		if (o->pid_nr == OPTIONS_PID_MAX)
			return usage_error("too many process ids, at", item);
		o->pids[o->pid_nr++] = (__s32)pid;
	}
	return -1;
}

static int set_threads(struct options *o, const char *text)
{
	__u64 n;

	if (!parse_count(text, &n) || n > THREAD_NR_MAX)
		return usage_error("--thread-rings must be from 0 to 4096, not", text);
	o->thread_nr = (__u32)n;
	return -1;
}

static int set_compress(struct options *o, const char *text)
{
	if (!ktrace_compress_level(text, &o->level))
		return usage_error("--compress needs a level from -50 to 19, or none, not", text);
	return -1;
}

static int set_split_size(struct options *o, const char *text)
{
	if (!parse_size(text, &o->split_size) || o->split_size > SPLIT_MAX)
		return usage_error("--split-size must be 0, or from 1 byte to 1024G, not", text);
	return -1;
}

static int set_max_size(struct options *o, const char *text)
{
	if (!parse_size(text, &o->max_size))
		return usage_error("--max-size needs a size such as 0, 512M or 1.5G, not", text);
	return -1;
}

static int set_min_free(struct options *o, const char *text)
{
	if (!parse_size(text, &o->min_free))
		return usage_error("--min-free needs a size such as 0, 512M or 1.5G, not", text);
	o->min_free_text = text;
	return -1;
}

static int set_producer_memory(struct options *o, const char *text)
{
	if (!parse_size(text, &o->producer_memory) || o->producer_memory < PRODUCER_MEMORY_MIN ||
	    o->producer_memory > PRODUCER_MEMORY_MAX)
		return usage_error("--producer-memory must be from 256K to 1024G, not", text);
	return -1;
}

static int set_split_time(struct options *o, const char *text)
{
	o->split_ns = 0;
	if (strcmp(text, "0") && !parse_time(text, &o->split_ns))
		return usage_error("--split-time needs a time such as 10, 500ms or 5m, not", text);
	return -1;
}

static int set_keep(struct options *o, const char *text)
{
	__u64 n;

	if (!parse_count(text, &n) || !n || n > KTRACE_PART_MAX)
		return usage_error("--keep needs a number of files from 1 on, not", text);
	o->keep = (__u32)n;
	return -1;
}

static int set_mode(struct options *o, const char *text)
{
	if (!output_mode_parse(text, &o->mode))
		return usage_error(OUTPUT_MODE_WRONG, text);
	o->send.mode = o->mode;
	return -1;
}

static int set_duration(struct options *o, const char *text)
{
	if (!parse_time(text, &o->duration_ns))
		return usage_error("--duration needs a time such as 10, 500ms or 5m, not", text);
	return -1;
}

static int set_shark_files(struct options *o, const char *text)
{
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;

	if (!*text || (*name && !ktrace_shark_name_is_fit(name)))
		return usage_error("--shark-files needs a folder, a slash, and perhaps a name of "
				   "letters, digits and _.-+, not", text);
	o->send.files = text;
	return -1;
}

static int set_shark_udp(struct options *o, const char *text)
{
	int fd = ktrace_packet_socket(":0", text);

	if (fd == -EINVAL)
		return usage_error("--shark-udp needs an address such as 192.0.2.1 or "
				   "192.0.2.1:20000, not", text);
	if (fd >= 0)
		close(fd);
	o->send.target = text;
	return -1;
}

static int answer(const char *text)
{
	fputs(text, stdout);
	return log_output_end(0);
}

static int set_events(struct options *o, const char *arg)
{
	if (!arg[strspn(arg, ",")])
		return usage_error("-e needs names of events, not", arg);
	o->choice.events = arg;
	return -1;
}

/* What an option without a value sets; NULL: it has one, or does something else */
static bool *flag_of(struct options *o, int opt)
{
	switch (opt) {
	case 'q':
		return &o->is_quiet;
	case OPT_PTHREAD:
		return &o->is_pthread;
	case OPT_BASELINE:
		return &o->is_baseline;
	case OPT_ALL:
		return &o->is_all;
	case OPT_FAIL:
		return &o->fail_on_loss;
	case OPT_OPTIONAL:
		return &o->is_optional;
	case OPT_RECOVER:
		return &o->is_recover;
	case OPT_LIST:
		return &o->is_list;
	case OPT_DISCARD:
		return &o->is_discard;
	case OPT_ALL_USERS:
		return &o->all_users;
	case OPT_SERVICE:
		return &o->is_service;
	case OPT_JSON:
		return &o->is_json;
	case OPT_NO_PRODUCER:
		return &o->no_producer;
	default:
		return NULL;
	}
}

static int apply(struct options *o, int opt, char *arg)
{
	bool *flag = flag_of(o, opt);

	if (flag) {
		*flag = true;
		return -1;
	}
	switch (opt) {
	case 'o':
		o->output = arg;
		return -1;
	case OPT_MODE:
		return set_mode(o, arg);
	case 'b':
		return set_buffer(o, arg);
	case 'e':
		return set_events(o, arg);
	case 'l':
		return set_level(o, arg);
	case 'p':
		return add_pids(o, arg);
	case OPT_POLICY:
		return set_policy(o, arg);
	case OPT_CONTEXT:
		return add_context(o, arg);
	case OPT_WHERE:
		o->choice.where = arg;
		return -1;
	case OPT_DURATION:
		return set_duration(o, arg);
	case OPT_BACKEND:
		return set_backend(o, arg);
	case OPT_BLOCK:
		return set_block(o, arg);
	case OPT_THREADS:
		return set_threads(o, arg);
	case OPT_COMPRESS:
		return set_compress(o, arg);
	case OPT_SPLIT_SIZE:
		return set_split_size(o, arg);
	case OPT_SPLIT_TIME:
		return set_split_time(o, arg);
	case OPT_KEEP:
		return set_keep(o, arg);
	case OPT_MAX_SIZE:
		return set_max_size(o, arg);
	case OPT_MIN_FREE:
		return set_min_free(o, arg);
	case OPT_MEMORY:
		return set_producer_memory(o, arg);
	case OPT_SHARK_FILES:
		return set_shark_files(o, arg);
	case OPT_SHARK_UDP:
		return set_shark_udp(o, arg);
	case 'h':
		return answer(help_text);
	case OPT_VERSION:
		return answer("ktraced " KTRACE_VERSION "\n");
	default:
		log_error("try 'ktraced --help'");
		return EXIT_OWN;
	}
}

/* A long option that getopt does not know: it has said so. */
static void suggest(const char *word)
{
	const struct option *option;
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	ktrace_nearest_init(&near, name);
	for (option = longopts; option->name; option++)
		ktrace_nearest_try(&near, option->name);
	if (*near.name)
		log_error("did you mean '--%s'?", near.name);
}

/* Options that do not go together, or lack another one; NULL: none */
static const char *conflict(const struct options *o)
{
	if (o->is_service && (o->argv || o->output))
		return "--service takes neither a COMMAND nor -o: sessions say what goes where";
	if (o->no_producer && !o->is_service)
		return "--no-producer goes with --service";
	if (o->producer_memory && !o->is_service)
		return "--producer-memory goes with --service";
	if (o->max_size && (o->is_service || o->is_baseline || o->is_recover))
		return "--max-size goes with a recording";
	if (o->is_json && (o->is_service || o->is_baseline || (o->is_recover && !o->is_list)))
		return "--json goes with a recording, or with --recover --list";
	if (o->mode && (o->is_service || o->is_baseline || o->is_recover))
		return "--mode goes with a recording";
	if (o->output && !strcmp(o->output, "-"))
		return "-o -: a trace goes into a file, not to standard output";
	if ((o->is_list || o->is_discard || o->all_users) && !o->is_recover)
		return "--list, --discard and --all-users go with --recover";
	if (o->is_list && o->is_discard)
		return "--list or --discard, not both";
	if (o->all_users && geteuid())
		return "--all-users: only root may take over sessions of other users";
	if (o->is_recover)
		return NULL;
	if (o->output && !*o->output)
		return "-o FILE is missing, try 'ktraced --help'";
	if (o->argv && !**o->argv)
		return "COMMAND is empty, try 'ktraced --help'";
	if (o->keep && !o->split_size && !o->split_ns)
		return "--keep is for files that are split: --split-size or --split-time";
	if (o->is_pthread && !o->argv)
		return "--pthread needs a COMMAND";
	if (o->is_baseline && !o->argv)
		return "--baseline needs a COMMAND";
	if (o->choice.has_levels && !o->is_pthread)
		return "--level goes with --pthread";
	return NULL;
}

static int check_where(const struct options *o)
{
	struct kernel_filter_error error;
	int ret = kernel_filter_is_used(&o->choice) ?
		kernel_filter_set(NULL, NULL, &o->choice, &error) : 0;

	if (ret == -EINVAL)
		kernel_filter_say(&error);
	else if (ret)
		log_error("%s", strerror(-ret));
	return ret ? EXIT_OWN : -1;
}

static int finish(struct options *o)
{
	const char *wrong = conflict(o);
	__u64 small = o->ring_size / 16;
	int status;

	if (wrong) {
		log_error("%s", wrong);
		return EXIT_OWN;
	}
	/* For files of others; a command keeps its environment. */
	if (o->min_free_text && (o->is_recover || o->is_service))
		setenv("KTRACE_MIN_FREE", o->min_free_text, 1);
	if (o->is_recover)
		return -1;
	/* With gaps, what threads do with each other makes no sense. */
	if (o->policy == KTRACE_POLICY_NR)
		o->policy = o->is_pthread ? KTRACE_POLICY_BLOCK : KTRACE_POLICY_DROP;
	if (!o->block_size) {
		o->block_size = small < BLOCK_DEFAULT ? (__u32)small : BLOCK_DEFAULT;
		if (o->block_size < KTRACE_BLOCK_MIN)
			o->block_size = KTRACE_BLOCK_MIN;
	}
	if (o->ring_size / o->block_size < KTRACE_RING_BLOCKS_MIN) {
		log_error("the buffer (-b) must have room for at least 4 blocks (--block-size)");
		return EXIT_OWN;
	}
	o->thread_size = KTRACE_RING_BLOCKS_MIN * (__u64)o->block_size;
	if (o->thread_size < small)
		o->thread_size = small;
	o->send.min_free = o->min_free;
	status = named_check(o);
	return status < 0 ? check_where(o) : status;
}

int options_parse(struct options *o, int argc, char **argv)
{
	static char name[] = "ktraced";
	char fault[3];
	int opt, status;

	/* What getopt's messages begin with, as all others do. */
	argv[0] = name;
	*o = (struct options) {
		.ring_size = RING_DEFAULT,
		.policy = KTRACE_POLICY_NR,
		.min_free = ktrace_disk_room_default(),
		.thread_nr = THREAD_NR_DEFAULT,
	};
	opterr = option_is_printable(argv);
	while ((opt = getopt_long(argc, argv, "+o:b:e:p:l:qh", longopts, NULL)) != -1) {
		if (opt == '?' && !opterr)
			log_error(OPTION_FAULT, option_at_fault(optopt, fault, argv[optind - 1]));
		else if (opt == '?' && !optopt && !strncmp(argv[optind - 1], "--", 2))
			suggest(argv[optind - 1] + 2);
		status = apply(o, opt, optarg);
		if (status >= 0)
			return status;
	}
	if (argv[optind])
		o->argv = argv + optind;
	return finish(o);
}
