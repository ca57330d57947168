// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_doctor.c - ktrace doctor: whether kernel events can be recorded here, and if not, why
 *
 * Checks everything between a user and the module, in that order. Each check reports what it found;
 * the first that finds an obstacle also tells what to do. Changes nothing, and parses no output of
 * other tools.
 */
#include "base/json.h"
#include "base/table.h"
#include "base/unused_registries.h"
#include "base/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/capability.h>
#include <ktrace/device.h>
#include <ktrace/session.h>

/* Maximum number of sessions to look at */
#define STALE_MAX 64u
/* Maximum length of the names of events that the kernel lacks */
#define LACKING_MAX 512u
#define DKMS "/var/lib/dkms"
#define DKMS_KEY DKMS "/mok.pub"
/* Keys that the machine's owner has enrolled: all, and those that anybody may read */
#define ENROLLED "/sys/firmware/efi/mok-variables/MokListRT"
#define ENROLLED_VARIABLE \
	"/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"

/**
 * struct doctor - what was found
 * @kernel:	the running kernel
 * @has_device:	the device can be opened
 * @module:	file of the module for this kernel; empty = none
 * @found:	results of the checks
 * @nr:		number of checks
 * @problem:	what is wrong; empty = nothing
 * @next:	the command that helps, or other advice
 */
struct doctor {
	struct utsname kernel;
	bool has_device;
	char module[PATH_MAX];
	struct {
		const char *name;
		char text[PATH_MAX + 64];
	} found[10];
	unsigned int nr;
	char problem[PATH_MAX + 256];
	char next[512];
};

__attribute__((format(printf, 3, 4)))
static void found(struct doctor *d, const char *name, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	d->found[d->nr].name = name;
	vsnprintf(d->found[d->nr++].text, sizeof(d->found[0].text), format, ap);
	va_end(ap);
}

__attribute__((format(printf, 3, 4)))
static void set(char *text, size_t size, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, size, format, ap);
	va_end(ap);
}

#define problem(d, ...) set((d)->problem, sizeof((d)->problem), __VA_ARGS__)
#define next(d, ...) set((d)->next, sizeof((d)->next), __VA_ARGS__)

/* Reads the first line of a small file; empty if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, line, size - 1);

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void look_at_kernel(struct doctor *d)
{
	uname(&d->kernel);
	found(d, "kernel", "%s, %s", d->kernel.release, d->kernel.machine);
}

/* ---- with a device ---- */

static const char *as_root(void)
{
	return geteuid() ? "sudo " : "";
}

static void no_right(struct doctor *d)
{
	struct stat st;

	found(d, "device", "%s is not yours to open", KTRACE_DEVICE);
	problem(d, "%s may be opened by root and its group only", KTRACE_DEVICE);
	if (!stat(KTRACE_DEVICE, &st) && st.st_gid)
		next(d, "sudo adduser $USER tracing    (then log in again)");
	else
		next(d, "sudo make install, in the source of ktrace    (udev then gives it to "
		     "group tracing), or run as root");
}

static void other_version(struct doctor *d, int error, const struct ktrace_device *device)
{
	if (error)
		problem(d, "%s does not answer as the module does", KTRACE_DEVICE);
	else
		problem(d, "the module has version %u of the interface, these programs %u",
			device->abi, KTRACE_ABI_VERSION);
	next(d, "%srmmod ktrace, then make module load, in the source of ktrace", as_root());
}

static void look_at_rights(struct doctor *d, int error)
{
	if (!error) {
		found(d, "rights", "kernel events may be recorded");
		return;
	}
	found(d, "rights", "user events only");
	problem(d, "kernel events may not be recorded: %s", strerror(-error));
	if (error == -EPERM || error == -EACCES)
		next(d, "sudo ktraced ..., or for all of the group: echo 1 | sudo tee "
		     "/sys/module/ktrace/parameters/group_kernel    (otherwise it takes "
		     "CAP_PERFMON)");
	else
		next(d, "dmesg    (the module says there what it refuses)");
}

/* Reports recordings of this user whose ktraced was killed. */
static void look_at_stale(struct doctor *d)
{
	struct ktrace_stale list[STALE_MAX];
	const size_t all = ktrace_session_list_stale(list, STALE_MAX);
	size_t nr = 0;

	/* Nothing can be saved from sessions that were never completely set up. */
	for (size_t i = 0; i < all && i < STALE_MAX; i++)
		nr += list[i].uid == geteuid() && !list[i].is_unfinished;
	if (nr)
		found(d, "left", "%zu%s session%s left behind by a ktraced that died: "
		      "'ktraced --recover --list'", nr, all > STALE_MAX ? " or more" : "",
		      nr == 1 ? "" : "s");
}

/* Reports unused registries of this user, which 'ktraced --recover' removes. */
static void look_at_registries(struct doctor *d)
{
	const struct unused_registries unused = ktrace_unused_registries(false, false);

	if (unused.nr)
		found(d, "registries", "%u registr%s of <trace.h> that nobody uses, %llu bytes: "
		      "'ktraced --recover'", unused.nr, unused.nr == 1 ? "y" : "ies", unused.bytes);
}

/* Adds the name of an event that this kernel cannot produce. @arg: the list */
static void see_event(void *arg, const struct ktrace_kernel_event *event, int error)
{
	char *list = arg;
	const size_t used = strlen(list);

	if (error == -EOPNOTSUPP)
		snprintf(list + used, LACKING_MAX - used, "%s%s:%s", used ? ", " : "",
			 event->family, event->name);
}

/* Reports events without a tracepoint in this kernel. */
static void look_at_events(struct doctor *d)
{
	char list[LACKING_MAX] = "";

	if (!ktrace_device_events(see_event, list) && *list)
		found(d, "events", "this kernel has no tracepoints for %s", list);
}

static bool look_at_device(struct doctor *d)
{
	struct ktrace_device device;
	const int error = ktrace_device_look(&device);
	const __u32 freed = ktrace_device_freed();

	d->has_device = !error;
	if (error == -EACCES || error == -EPERM) {
		no_right(d);
	} else if (error == -ENOTTY || (!error && device.abi != KTRACE_ABI_VERSION)) {
		other_version(d, error, &device);
	} else if (!error) {
		found(d, "device", "%s, version %u of the interface, %u sessions", KTRACE_DEVICE,
		      device.abi, device.sessions);
		if (freed)
			found(d, "freed", "%u session%s left behind and not saved; dmesg says why",
			      freed, freed == 1 ? "" : "s");
		look_at_rights(d, device.kernel_error);
		look_at_events(d);
	} else {
		return false;
	}
	return true;
}

/* ---- without a device ---- */

static bool look_at_loaded(struct doctor *d)
{
	if (!exists("/sys/module/ktrace"))
		return false;
	found(d, "module", "loaded, but there is no %s", KTRACE_DEVICE);
	problem(d, "nobody has made %s: a container has devices of its own", KTRACE_DEVICE);
	next(d, "give the container the host's device: docker run --device=%s ...", KTRACE_DEVICE);
	return true;
}

/* True if any process in this container can have the right to load modules. */
static bool may_anybody_load(void)
{
	unsigned long long set = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapBnd: %llx", &set) == 1)
			break;
	if (f)
		fclose(f);
	return set >> CAP_SYS_MODULE & 1;
}

static bool look_at_loading(struct doctor *d)
{
	char line[16];

	read_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	if (!exists("/proc/modules")) {
		problem(d, "this kernel is built without loadable modules");
		next(d, "boot a kernel of the distribution: apt install linux-image-amd64");
	} else if (!may_anybody_load()) {
		problem(d, "nothing in this container may load modules");
		next(d, "load it on the host: modprobe ktrace, and give the container %s",
		     KTRACE_DEVICE);
	} else if (*line == '1') {
		problem(d, "kernel.modules_disabled is 1: no module can be loaded until it boots");
		next(d, "take kernel.modules_disabled out of /etc/sysctl.d, and boot again");
	} else {
		found(d, "modules", "can be loaded");
		return true;
	}
	found(d, "modules", "cannot be loaded");
	return false;
}

static bool is_module_file(const char *name)
{
	return !strcmp(name, "ktrace.ko") || !strcmp(name, "ktrace.ko.xz") ||
	       !strcmp(name, "ktrace.ko.zst") || !strcmp(name, "ktrace.ko.gz");
}

static void find_module(struct doctor *d)
{
	char dir[128];
	char *const dirs[] = { dir, NULL };
	FTSENT *file;
	FTS *tree;

	snprintf(dir, sizeof(dir), "/lib/modules/%s", d->kernel.release);
	tree = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	while (tree && !*d->module && (file = fts_read(tree)))
		if (is_module_file(file->fts_name))
			snprintf(d->module, sizeof(d->module), "%s", file->fts_path);
	if (tree)
		fts_close(tree);
}

/* Finds the log of a failed build for this kernel; DKMS leaves it in the build folder. */
static bool find_failed_build(const struct doctor *d, char *path, size_t size)
{
	char line[256], kernel[96];
	bool is_found = false;
	glob_t logs;

	snprintf(kernel, sizeof(kernel), " for kernel %s (", d->kernel.release);
	if (glob(DKMS "/ktrace/*/build/make.log", 0, NULL, &logs))
		return false;
	for (size_t i = 0; i < logs.gl_pathc && !is_found; i++) {
		read_line(logs.gl_pathv[i], line, sizeof(line));
		is_found = strstr(line, kernel);
		snprintf(path, size, "%s", logs.gl_pathv[i]);
	}
	globfree(&logs);
	return is_found;
}

static bool are_headers_there(const struct doctor *d)
{
	char path[160];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", d->kernel.release);
	return exists(path);
}

/* Takes the expression of a variable of dkms.conf, which is between double quotes. */
static bool find_setting(const char *path, const char *name, char *value, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[8192];
	const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, name);
	if (!at || at[strlen(name)] != '=' || at[strlen(name) + 1] != '"')
		return false;
	at += strlen(name) + 2;
	snprintf(value, size, "%.*s", (int)strcspn(at, "\"\n"), at);
	return true;
}

/* True if DKMS builds nothing as dkms.conf says that the module does not fit the kernel. */
static bool is_kernel_excluded(const struct doctor *d)
{
	bool is_excluded = false;
	char pattern[256];
	glob_t settings;
	regex_t fits;

	if (glob(DKMS "/ktrace/*/source/dkms.conf", 0, NULL, &settings))
		return false;
	for (size_t i = 0; i < settings.gl_pathc; i++) {
		if (!find_setting(settings.gl_pathv[i], "BUILD_EXCLUSIVE_KERNEL", pattern,
				  sizeof(pattern)) ||
		    regcomp(&fits, pattern, REG_EXTENDED | REG_NOSUB))
			continue;
		is_excluded = regexec(&fits, d->kernel.release, 0, NULL, 0);
		regfree(&fits);
	}
	globfree(&settings);
	return is_excluded;
}

static void not_built_by_dkms(struct doctor *d)
{
	char log[PATH_MAX];

	if (is_kernel_excluded(d)) {
		found(d, "dkms", "builds nothing for this kernel: BUILD_EXCLUSIVE_KERNEL");
		problem(d, "this ktrace has not been tried with Linux %s", d->kernel.release);
		next(d, "take a newer ktrace if the kernel is newer than it; to try this one, make "
		     "module load, in its source");
	} else if (find_failed_build(d, log, sizeof(log))) {
		found(d, "dkms", "could not build it: %s", log);
		problem(d, "the module could not be built for this kernel; the end of %s says why",
			log);
		next(d, "mend what it says, then %sdkms autoinstall -k %s; or reinstall the "
		     "headers: %sapt install --reinstall linux-headers-%s", as_root(),
		     d->kernel.release, as_root(), d->kernel.release);
	} else {
		found(d, "dkms", "has not built it for this kernel");
		problem(d, "the module has not been built for this kernel");
		next(d, "%sdkms autoinstall -k %s", as_root(), d->kernel.release);
	}
}

static bool look_at_module(struct doctor *d)
{
	find_module(d);
	if (*d->module) {
		found(d, "module", "%s, not loaded", d->module);
		return true;
	}
	found(d, "module", "not loaded, and not installed for this kernel");
	found(d, "headers", are_headers_there(d) ? "installed" : "missing");
	if (!are_headers_there(d)) {
		problem(d, "the module cannot be built: this kernel's headers are missing");
		next(d, "%sapt install linux-headers-%s", as_root(), d->kernel.release);
	} else if (exists(DKMS "/ktrace")) {
		not_built_by_dkms(d);
	} else {
		problem(d, "the module is not loaded");
		next(d, "%sapt install ktrace-dkms, or make module load, in the source of ktrace",
		     as_root());
	}
	return false;
}

/* Return: 1 = the module is signed, 0 = not signed, -1 = unknown, as it is compressed. */
static int is_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	char end[sizeof(mark) - 1];
	const char *dot = strrchr(path, '.');
	int fd, ret = 0;

	if (strcmp(dot, ".ko") != 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && lseek(fd, -(off_t)sizeof(end), SEEK_END) >= 0)
		ret = read(fd, end, sizeof(end)) == sizeof(end) && !memcmp(end, mark, sizeof(end));
	if (fd >= 0)
		close(fd);
	return ret;
}

/* True if file @path contains the bytes of file @part; looks at 64 KiB of each. */
static bool has_bytes_of(const char *path, const char *part)
{
	static char all[65536], some[65536];
	FILE *f = fopen(path, "re"), *g = fopen(part, "re");
	size_t n = f ? fread(all, 1, sizeof(all), f) : 0;
	size_t m = g ? fread(some, 1, sizeof(some), g) : 0;

	if (f)
		fclose(f);
	if (g)
		fclose(g);
	return m && memmem(all, n, some, m);
}

/* Checks the key where only signed modules are loaded. DKMS signs with a key of this machine. */
static void look_at_key(struct doctor *d)
{
	if (strstr(d->module, "/updates/dkms/") && exists(DKMS_KEY)) {
		if (has_bytes_of(ENROLLED, DKMS_KEY) || has_bytes_of(ENROLLED_VARIABLE, DKMS_KEY))
			return;
		problem(d, "this kernel loads signed modules only, and the key that signs those of "
			"DKMS, %s, is not enrolled", DKMS_KEY);
		next(d, "%smokutil --import %s, boot again and confirm it there    (or switch "
		     "Secure Boot off)", as_root(), DKMS_KEY);
		return;
	}
	if (is_signed(d->module) == 1)
		return;
	problem(d, "this kernel loads signed modules only%s",
		is_signed(d->module) ? "" : ", and this one is not signed");
	next(d, "sign it with a key that the machine knows: "
	     "/lib/modules/%s/build/scripts/sign-file sha256 KEY CERTIFICATE %s    "
	     "(mokutil --import CERTIFICATE; or switch Secure Boot off)", d->kernel.release,
	     d->module);
}

static void look_at_signature(struct doctor *d)
{
	char lockdown[64], enforced[8];
	bool is_locked;

	read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	read_line("/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	is_locked = (*lockdown && !strstr(lockdown, "[none]")) || *enforced == 'Y';
	found(d, "signature", "%s", is_locked ? "demanded" : "not demanded");
	problem(d, "the module is not loaded");
	next(d, "%smodprobe ktrace", as_root());
	if (is_locked)
		look_at_key(d);
}

/* ---- */

static void examine(struct doctor *d)
{
	look_at_kernel(d);
	look_at_stale(d);
	look_at_registries(d);
	if (look_at_device(d) || look_at_loaded(d))
		return;
	if (look_at_loading(d) && look_at_module(d))
		look_at_signature(d);
}

static void put_text(struct ktrace_out *out, const struct doctor *d)
{
	for (unsigned int i = 0; i < d->nr; i++)
		out_printf(out, "%-10s %s\n", d->found[i].name, d->found[i].text);
	if (!*d->problem) {
		out_printf(out, "\nKernel events can be recorded.\n");
		return;
	}
	out_printf(out, "\nNo kernel events: %s.\nNext: %s\n", d->problem, d->next);
	out_printf(out, "Events of programs can be recorded%s.\n",
		   !d->has_device ? " without the module, too" : "");
}

static void put_json(struct ktrace_out *out, const struct doctor *d)
{
	ktrace_out_char(out, '{');
	json_open(out, "found", '[');
	for (unsigned int i = 0; i < d->nr; i++) {
		json_item(out);
		json_str(out, "name", d->found[i].name);
		json_str(out, "text", d->found[i].text);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	if (*d->problem) {
		json_str(out, "problem", d->problem);
		json_str(out, "next", d->next);
	}
	ktrace_out_str(out, "}\n");
}

static const struct option_set sets[] = {
	{ json_options, 0 },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct doctor d;
	bool is_json = false;
	int status = command_parse(cmd, &is_json, argc, argv);

	if (status < 0)
		status = command_check(cmd, optind != argc ? "it takes no files" : NULL);
	if (status >= 0)
		return status;
	examine(&d);
	(is_json ? put_json : put_text)(output(), &d);
	return output_end(*d.problem ? STATUS_DAMAGED : STATUS_OK);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "[OPTION...]",
	.summary = "Check whether kernel events can be recorded here; why not",
	.options = sets,
	.run = run,
};
