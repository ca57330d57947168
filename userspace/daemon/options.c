// SPDX-License-Identifier: GPL-2.0
/* options.c - the command line of ktraced, see Documentation/man/ktraced.8 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/level.h>
#include <ktrace/session.h>
#include <ktrace/shark_port.h>
#include <ktrace/tracefile.h>

#include <ktrace/packet.h>

#include "base/decimal.h"
#include "base/disk_room.h"
#include "base/log.h"
#include "base/option_table.h"
#include "base/output_file.h"
#include "clocks/clock_options.h"
#include "events/kernel_filter.h"
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
/* Limits of --producer-memory; the minimum is what a producer gets that requests no size */
#define PRODUCER_MEMORY_MIN (256ull << 10)
#define PRODUCER_MEMORY_MAX (1ull << 40)

/* For rows of the table */
#define MEMBER(member) OPTION_MEMBER(struct options, member)

static const char *usage_error(const char *what, const char *value)
{
	return option_wrong("%s '%s'", what, value);
}

static const char *set_buffer(void *to, const char *text)
{
	struct options *o = to;
	__u64 size;

	if (!decimal_size(text, &size))
		return usage_error("-b needs a size such as 512K, 1.5M or 1G, not", text);
	if (size < RING_MIN || size > KTRACE_RING_MAX)
		return usage_error("-b must be from 16K to 16G, not", text);
	o->ring_size = RING_MIN;
	while (o->ring_size < size)
		o->ring_size *= 2;
	return NULL;
}

static const char *set_block(void *to, const char *text)
{
	struct options *o = to;
	__u64 size;

	if (!decimal_size(text, &size) || size < KTRACE_BLOCK_MIN || size > KTRACE_BLOCK_MAX ||
	    (size & (size - 1)))
		return usage_error("--block-size must be a power of two from 4K to 1M, not", text);
	o->block_size = (__u32)size;
	return NULL;
}

static const char *set_policy(void *to, const char *text)
{
	struct options *o = to;

	o->policy = ktrace_policy_find(text);
	if (o->policy == KTRACE_POLICY_NR)
		return usage_error("--policy must be drop, overwrite, block or stop, not", text);
	return NULL;
}

static const char *set_backend(void *to, const char *text)
{
	struct options *o = to;

	if (!strcmp(text, "dev"))
		o->backend = KTRACE_BACKEND_DEV;
	else if (!strcmp(text, "shm"))
		o->backend = KTRACE_BACKEND_SHM;
	else
		return usage_error("--backend must be dev or shm, not", text);
	return NULL;
}

static const char *add_context(void *to, const char *text)
{
	struct options *o = to;
	char reason[256];

	if (context_specs_parse(&o->wishes, text, reason, sizeof(reason)))
		return NULL;
	return option_wrong("--context: %s", reason);
}

static const char *set_level(void *to, const char *text)
{
	struct options *o = to;
	char bad[32];

	o->choice.has_levels = true;
	if (ktrace_level_parse(text, &o->choice.levels, bad, sizeof(bad)))
		return NULL;
	return option_wrong("--level: unknown level '%s'; levels are %s", bad,
			    ktrace_level_choices());
}

static const char *add_pid(struct options *o, const char *item)
{
	__u64 pid;

	if (!decimal_count(item, &pid) || !pid || pid > KTRACE_TID_MASK)
		return usage_error("-p needs process ids, not", item);
	if (o->pid_nr == OPTIONS_PID_MAX)
		return usage_error("too many process ids, at", item);
	o->pids[o->pid_nr++] = (__s32)pid;
	return NULL;
}

static const char *add_pids(void *to, const char *list)
{
	char *copy = strdup(list), *rest = copy, *item;
	const char *wrong = copy ? NULL : strerror(ENOMEM);

	while (!wrong && (item = strsep(&rest, ",")))
		wrong = add_pid(to, item);
	free(copy);
	return wrong;
}

static const char *set_threads(void *to, const char *text)
{
	struct options *o = to;
	__u64 n;

	if (!decimal_count(text, &n) || n > THREAD_NR_MAX)
		return usage_error("--thread-rings must be from 0 to 4096, not", text);
	o->thread_nr = (__u32)n;
	return NULL;
}

static const char *set_compress(void *to, const char *text)
{
	struct options *o = to;

	if (!ktrace_compress_level(text, &o->level))
		return usage_error("--compress needs a level from -50 to 19, or none, not", text);
	return NULL;
}

static const char *set_split_size(void *to, const char *text)
{
	struct options *o = to;

	if (!decimal_size(text, &o->split_size) || o->split_size > SPLIT_MAX)
		return usage_error("--split-size must be 0, or from 1 byte to 1024G, not", text);
	return NULL;
}

static const char *set_max_size(void *to, const char *text)
{
	struct options *o = to;

	if (!decimal_size(text, &o->max_size))
		return usage_error("--max-size needs a size such as 0, 512M or 1.5G, not", text);
	return NULL;
}

static const char *set_min_free(void *to, const char *text)
{
	struct options *o = to;

	if (!decimal_size(text, &o->min_free))
		return usage_error("--min-free needs a size such as 0, 512M or 1.5G, not", text);
	o->min_free_text = text;
	return NULL;
}

static const char *set_producer_memory(void *to, const char *text)
{
	struct options *o = to;

	if (!decimal_size(text, &o->producer_memory) || o->producer_memory < PRODUCER_MEMORY_MIN ||
	    o->producer_memory > PRODUCER_MEMORY_MAX)
		return usage_error("--producer-memory must be from 256K to 1024G, not", text);
	return NULL;
}

static const char *set_split_time(void *to, const char *text)
{
	struct options *o = to;

	o->split_ns = 0;
	if (strcmp(text, "0") && !option_time(text, &o->split_ns))
		return usage_error("--split-time needs a time such as 10, 500ms or 5m, not", text);
	return NULL;
}

static const char *set_keep(void *to, const char *text)
{
	struct options *o = to;
	__u64 n;

	if (!decimal_count(text, &n) || !n || n > KTRACE_PART_MAX)
		return usage_error("--keep needs a number of files, 1 or more, not", text);
	o->keep = (__u32)n;
	return NULL;
}

static const char *set_mode(void *to, const char *text)
{
	struct options *o = to;

	if (!output_mode_parse(text, &o->mode))
		return usage_error(OUTPUT_MODE_WRONG, text);
	o->send.mode = o->mode;
	return NULL;
}

static const char *set_duration(void *to, const char *text)
{
	struct options *o = to;

	if (!option_time(text, &o->duration_ns))
		return usage_error("--duration needs a time such as 10, 500ms or 5m, not", text);
	return NULL;
}

static const char *set_shark_files(void *to, const char *text)
{
	struct options *o = to;
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;

	if (!*text || (*name && !ktrace_shark_name_is_fit(name)))
		return usage_error("--shark-files needs FOLDER/ or FOLDER/NAME, with a NAME of "
				   "letters, digits and _.-+ only, not", text);
	o->send.files = text;
	return NULL;
}

static const char *set_shark_udp(void *to, const char *text)
{
	struct options *o = to;
	int fd = ktrace_packet_socket(":0", text);

	if (fd == -EINVAL)
		return usage_error("--shark-udp needs an address such as 192.0.2.1 or "
				   "192.0.2.1:20000, not", text);
	if (fd >= 0)
		close(fd);
	o->send.target = text;
	return NULL;
}

static const char *set_events(void *to, const char *arg)
{
	struct options *o = to;

	if (!arg[strspn(arg, ",")])
		return usage_error("-e needs names of events, not", arg);
	o->choice.events = arg;
	return NULL;
}

static const struct option_row rows[] = {
	{ .help = "usage: ktraced [options] [-o FILE] [--] COMMAND [ARGUMENT...]\n"
	  "       ktraced [options] [-o FILE]\n"
	  "       ktraced [options] --baseline [--] COMMAND [ARGUMENT...]\n"
	  "       ktraced --recover [--list | --discard] [--all-users] [-q] [-o FILE]\n"
	  "               [SESSION...]\n"
	  "       ktraced --service [--no-producer] [--producer-memory SIZE]\n"
	  "               [--min-free SIZE] [-q]\n"
	  "\n"
	  "Records events of a command or, until interrupted, of programs that run.\n"
	  "\n"
	  "What is recorded:\n" },
	{ .letter = 'e', .name = "events", .value = "LIST", .set = set_events,
	  .help = "comma-separated globs: a kernel family or user provider\n"
		  "(sched), or one event (sched:switch, demo:*); a system\n"
		  "call (syscall:openat, 'syscall:open*'); any\n"
		  "tracepoint (tp:ext4:*); a kernel function,\n"
		  "'kprobe:FUNCTION ARGUMENT...' (or several, vfs_*), or\n"
		  "its return, 'kretprobe:FUNCTION $retval'; in braces,\n"
		  "a filter for kernel events:\n"
		  "'sched:switch{next_prio < 100 && cpu == 1}'\n"
		  "(default: all user events, families sched and log)" },
	{ .name = "optional", .flag = MEMBER(is_optional),
	  .help = "continue if kernel events of -e cannot be recorded\n"
		  "(default: exit status 125, COMMAND is not started)" },
	{ .name = "filter", .old = "where", .value = "EXPRESSION", .text = MEMBER(choice.where),
	  .help = "record kernel events only if EXPRESSION is true: pid,\n"
		  "tid, comm, cpu, uid, cgroup, fields of events,\n"
		  "&& || ! ( ), as in ktrace grep" },
	{ .name = "context", .value = "LIST", .set = add_context,
	  .help = "add to kernel events: kstack, ustack, cgroup, nspid,\n"
		  "perf:COUNTER; only to some:\n"
		  "sched:switch=kstack;irq=nspid" },
	{ .name = "all", .flag = MEMBER(is_all),
	  .help = "record kernel events of the whole system" },
	{ .letter = 'p', .name = "pid", .value = "PID[,PID...]", .set = add_pids,
	  .help = "record running processes: events of those that have\n"
		  "libktrace, kernel events of them and their descendants" },
	{ .name = "comm", .value = "NAME[,NAME...]", .text = MEMBER(comms),
	  .help = "record events of the user's running programs with\n"
		  "libktrace that have such a name; * and ? match any" },
	{ .name = "cgroup", .value = "NAME[,NAME...]", .text = MEMBER(cgroups),
	  .help = "the same for programs in a control group: a path, or\n"
		  "the name of a unit or container" },
	{ .name = "pthread", .flag = MEMBER(is_pthread),
	  .help = "record threads and locks of COMMAND: events pthread:*" },
	{ .letter = 'l', .name = "level", .value = "LIST", .set = set_level,
	  .help = "with --pthread: record only these events: all, io\n"
		  "(calls), none, thread, barrier, mutex, cond, sem,\n"
		  "rwlock, spin, once, key, each also with -io (default:\n"
		  "all)" },
	{ .help = "\n"
	  "The file:\n" },
	{ .letter = 'o', .name = "output", .value = "FILE", .text = MEMBER(output),
	  .help = "write the trace to FILE, replacing it; FOLDER/: to a\n"
		  "new file there (default: COMMAND-DATE-TIME-PID.bin)" },
	{ .name = "mode", .value = "MODE", .set = set_mode,
	  .help = "mode of the files, octal, such as 0640 (default: 0600;\n"
		  "a file that is replaced keeps its mode)" },
	{ .name = "compress", .value = "[=LEVEL]", .set = set_compress,
	  .help = "compress FILE while recording, as time allows: LEVEL\n"
		  "from -50 (fastest) to 19, 1 if not given; 0 or none =\n"
		  "uncompressed (default)" },
	{ .name = "split-size", .value = "SIZE", .set = set_split_size,
	  .help = "begin the next file after about SIZE bytes, 0 = never\n"
		  "(default): if FILE is t.bin, they are t.0001.bin,\n"
		  "t.0002.bin, ..." },
	{ .name = "split-time", .value = "TIME", .set = set_split_time,
	  .help = "begin the next file after TIME, 0 = never (default)" },
	{ .name = "keep", .value = "N", .set = set_keep,
	  .help = "keep the newest N of these files, remove older ones\n"
		  "(default: all)" },
	{ .name = "max-size", .value = "SIZE", .set = set_max_size,
	  .help = "limit all files of the recording to SIZE bytes in\n"
		  "total; later events are lost or, with --keep, older\n"
		  "files are removed; 0 = no limit (default)" },
	{ .name = "min-free", .value = "SIZE", .set = set_min_free,
	  .help = "keep SIZE bytes of the file system free, in the same\n"
		  "way; 0 = off (default: the smaller of 5 % and 1 GiB)" },
	{ .name = "shark-files", .value = "FOLDER/[NAME]", .set = set_shark_files,
	  .help = "write S.Ha.R.K. chunks to FOLDER (default:\n"
		  "that of FILE), named by NAME (default: as programs say)\n"
		  "and their number" },
	{ .name = "shark-udp", .value = "ADDRESS[:PORT]", .set = set_shark_udp,
	  .help = "send S.Ha.R.K. packets to ADDRESS (default:\n"
		  "as programs say; port 20000)" },
	{ .help = NULL },
};

static const struct option_row run_rows[] = {
	{ .help = "\n"
	  "Buffers:\n" },
	{ .letter = 'b', .name = "buffer", .value = "SIZE", .set = set_buffer,
	  .help = "buffer for each CPU, 16K to 16G, rounded up to a power\n"
		  "of two; suffixes K, M, G, also 1.5M (default: 4M)" },
	{ .name = "policy", .value = "drop|overwrite|block|stop", .set = set_policy,
	  .help = "when the buffer is full: drop new\n"
		  "events, overwrite the oldest, block the program, or\n"
		  "stop recording until it is empty (default: drop; with\n"
		  "--pthread block)" },
	{ .name = "backend", .value = "dev|shm", .set = set_backend,
	  .help = "the kernel module, or shared memory (default: dev if it\n"
		  "works)" },
	{ .name = "block-size", .value = "SIZE", .set = set_block,
	  .help = "4K to 1M, a power of two (default: buffer/16, at most\n"
		  "64K)" },
	{ .name = "thread-rings", .value = "N", .set = set_threads,
	  .help = "number of buffers for threads that cannot use those of\n"
		  "the CPUs (default: 64)" },
	{ .help = "\n"
	  "The run:\n" },
	{ .name = "duration", .value = "TIME", .set = set_duration,
	  .help = "stop recording after TIME: 1.5, 20ms, 5m, ...; suffixes\n"
		  "ns, us, ms, s (default), m, h" },
	{ .name = "paused", .flag = MEMBER(is_paused),
	  .help = "record nothing but marks until ktrace control or\n"
		  "ktrace fleet resume the recording" },
	{ .name = "baseline", .flag = MEMBER(is_baseline),
	  .help = "run COMMAND without recording and print how long it\n"
		  "took, for comparison with --pthread" },
	{ .letter = 'q', .name = "quiet", .flag = MEMBER(is_quiet),
	  .help = "print only errors" },
	{ .name = "json", .flag = MEMBER(is_json),
	  .help = "print the result as one JSON object in the last line;\n"
		  "with --recover --list, one for each session: ktraced(8)" },
	{ .name = "fail-on-loss", .flag = MEMBER(fail_on_loss),
	  .help = "exit with status 125 when events were lost" },
	{ .help = "\n"
	  "Instead of recording:\n" },
	{ .name = "recover", .flag = MEMBER(is_recover),
	  .help = "complete the traces of killed ktraced processes, or of\n"
		  "the SESSIONs given; -o: write a complete copy instead" },
	{ .name = "list", .flag = MEMBER(is_list),
	  .help = "with --recover: only list such sessions" },
	{ .name = "discard", .flag = MEMBER(is_discard),
	  .help = "with --recover: remove them without saving anything" },
	{ .name = "all-users", .flag = MEMBER(all_users),
	  .help = "with --recover: as root, sessions of other users too,\n"
		  "each with its owner's rights to files" },
	{ .name = "prepare", .flag = MEMBER(is_prepare),
	  .help = "print the variable with which to start a program,\n"
		  "so that its threads and locks can be recorded later" },
	{ .name = "service", .flag = MEMBER(is_service),
	  .help = "serve producers and consumers in Perfetto's protocol,\n"
		  "until interrupted; see ktraced(8)" },
	{ .name = "no-producer", .flag = MEMBER(no_producer),
	  .help = "with --service: do not offer ktrace.user and\n"
		  "ktrace.kernel" },
	{ .name = "producer-memory", .value = "SIZE", .set = set_producer_memory,
	  .help = "with --service: limit of the memory that all\n"
		  "producers of a user share with it, 256K to\n"
		  "1024G; not for root and its own user\n"
		  "(default: 256M)" },
	{ .letter = 'h', .name = "help",
	  .help = "print this" },
	{ .name = "version",
	  .help = "print the version" },
	{ .help = "\n"
	  "Exit status: the command's; if a signal killed it, ktraced dies by the same one;\n"
	  "125 if ktraced fails, 126 if COMMAND cannot be executed, 127 if it is not found.\n" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ clock_options, offsetof(struct options, clocks) },
	{ ship_options, offsetof(struct options, ship) },
	{ metrics_options, offsetof(struct options, metrics) },
	{ run_rows, 0 },
	{ NULL, 0 },
};

/* Returns the complaint about options that conflict or lack another one; NULL: none. */
static const char *conflict(const struct options *o)
{
	if (o->is_prepare && (o->argv || o->output || o->is_service || o->is_recover))
		return "--prepare takes no other options";
	if ((o->comms || o->cgroups) && (o->is_service || o->is_baseline || o->is_recover))
		return "--comm and --cgroup apply only to a recording";
	if ((o->comms && !*o->comms) || (o->cgroups && !*o->cgroups))
		return "--comm and --cgroup need a name";
	if (o->is_service && (o->argv || o->output))
		return "--service takes neither a COMMAND nor -o: its sessions choose what to "
			"record and where";
	if (o->no_producer && !o->is_service)
		return "--no-producer needs --service";
	if (o->producer_memory && !o->is_service)
		return "--producer-memory needs --service";
	if (o->max_size && (o->is_service || o->is_baseline || o->is_recover))
		return "--max-size applies only to a recording";
	if (o->is_json && (o->is_service || o->is_baseline || (o->is_recover && !o->is_list)))
		return "--json applies only to a recording or to --recover --list";
	if (o->mode && (o->is_service || o->is_baseline || o->is_recover))
		return "--mode applies only to a recording";
	if (clock_options_any(&o->clocks) &&
	    (o->is_service || o->is_baseline || o->is_recover))
		return "--ping, --answer-pings and --clock-sources apply only to a recording";
	if (o->clocks.interval_ms && !o->clocks.ping_nr)
		return "--ping-interval needs --ping";
	if (o->ship.url && (o->is_service || o->is_baseline || o->is_recover))
		return "--ship applies only to a recording; 'ktrace ship' sends other files";
	if (o->is_paused && (o->is_service || o->is_baseline || o->is_recover))
		return "--paused applies only to a recording";
	if (o->metrics.place && (o->is_service || o->is_baseline || o->is_recover))
		return "--metrics applies only to a recording";
	if (o->output && !strcmp(o->output, "-"))
		return "-o -: a trace cannot go to standard output; name a file";
	if ((o->is_list || o->is_discard || o->all_users) && !o->is_recover)
		return "--list, --discard and --all-users need --recover";
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
	if (o->keep && !o->split_size && !o->split_ns && !o->ship.url)
		return "--keep needs --split-size or --split-time";
	if (ship_wrong(&o->ship))
		return ship_wrong(&o->ship);
	if (o->is_pthread && !o->argv)
		return "--pthread needs a COMMAND";
	if (o->is_baseline && !o->argv)
		return "--baseline needs a COMMAND";
	if (o->choice.has_levels && !o->is_pthread)
		return "--level needs --pthread";
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
	/*
	 * Sets the default for files that recovery and the service write; a command keeps its
	 * environment.
	 */
	if (o->min_free_text && (o->is_recover || o->is_service))
		setenv("KTRACE_MIN_FREE", o->min_free_text, 1);
	if (o->is_recover)
		return -1;
	ship_split(&o->ship, &o->split_size, &o->split_ns);
	/* With gaps, the interplay of threads cannot be reconstructed. */
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

static void complain(const char *text)
{
	log_error("%s", text);
}

/* Return: the exit status, -1 = go on. */
static int end_or_go_on(int parsed)
{
	if (!parsed)
		return -1;
	if (parsed == OPTIONS_REFUSED)
		log_error("try 'ktraced --help'");
	if (parsed == OPTIONS_REFUSED || parsed == OPTIONS_WRONG)
		return EXIT_OWN;
	if (parsed == OPTIONS_HELP)
		option_table_help(stdout, sets);
	else
		puts("ktraced " KTRACE_VERSION);
	return log_output_end(0);
}

int options_parse(struct options *o, int argc, char **argv)
{
	static const struct option_parser parser = { sets, true, complain, NULL };
	static char name[] = "ktraced";
	int status;

	/* Messages of getopt begin with argv[0], and all others with this name. */
	argv[0] = name;
	*o = (struct options) {
		.ring_size = RING_DEFAULT,
		.policy = KTRACE_POLICY_NR,
		.min_free = ktrace_disk_room_default(),
		.thread_nr = THREAD_NR_DEFAULT,
	};
	status = end_or_go_on(option_table_parse(&parser, o, argc, argv));
	if (status >= 0)
		return status;
	if (argv[optind])
		o->argv = argv + optind;
	return finish(o);
}
