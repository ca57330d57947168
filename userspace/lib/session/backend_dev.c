// SPDX-License-Identifier: LGPL-2.1
/*
 * backend_dev.c - channels in the module's memory, /dev/ktrace
 *
 * The owner maps each channel read-only as a whole, then maps the parts it may write over that: the
 * tails of the kernel channel, the control area of the user channel. A kernel channel that is not
 * permitted is no failure: the session then has user events only, and s->kernel_error says why.
 *
 * The module is asked to keep the session if we die before we close it ourselves.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktrace/device.h>

#include "layout.h"

/* Memory that the module allocates when contexts are first requested */
#define CONTEXT_BYTES (4500u << 10)

static int control_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

/* Maps [from, to) writable over the read-only mapping. */
static int make_writable(int fd, char *map, __u64 map_off, __u64 from, __u64 to)
{
	void *at;

	from &= ~(__u64)(LAYOUT_PAGE - 1);
	to = (to + LAYOUT_PAGE - 1) & ~(__u64)(LAYOUT_PAGE - 1);
	at = mmap(map + from, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		  (off_t)(map_off + from));
	return at == MAP_FAILED ? -errno : 0;
}

static int map_channel(struct ktrace_session *s, struct channel *ch,
		       const struct ktrace_channel_spec *spec)
{
	const struct ktrace_control *c;
	char *map = mmap(NULL, spec->map_size, PROT_READ, MAP_SHARED, s->fd,
			 (off_t)spec->map_off);
	__u64 tails_end;
	int error;

	if (map == MAP_FAILED)
		return -errno;
	error = channel_take(ch, map, spec->map_size);
	if (error) {
		munmap(map, spec->map_size);
		return error;
	}
	c = &ch->control;
	tails_end = c->tail_off + (__u64)c->ring_nr * sizeof(struct ktrace_tail);
	return make_writable(s->fd, map, spec->map_off,
			     c->kind == KTRACE_CHANNEL_USER ? 0 : c->tail_off, tails_end);
}

/* Returns the memory the module needs: for kernel events, only rings of online CPUs have data. */
static __u64 memory_for(const struct ktrace_channel_spec *spec)
{
	const bool user = spec->kind == KTRACE_CHANNEL_USER;
	const __u32 cpu_nr = user ? cpus_present() : (__u32)sysconf(_SC_NPROCESSORS_ONLN);
	struct ktrace_control c = {
		.ring_nr = cpu_nr + spec->thread_nr,
		.cpu_nr = cpu_nr,
		.block_size = spec->block_size,
		.policy = spec->policy,
		.ring_size = spec->ring_size,
		.thread_size = spec->thread_size,
		.registry_size = spec->registry_size,
		.id_nr = KTRACE_ID_NR,
		.filter_size = KTRACE_FILTER_SIZE,
		.note_size = KTRACE_NOTE_SIZE,
	};

	/* The module itself reports an impossible layout. */
	return layout_compute(&c) ? 0 : c.map_size;
}

static int add_channel(struct ktrace_session *s, struct channel *ch, __u32 kind,
		       const struct ktrace_session_options *opts)
{
	bool user = kind == KTRACE_CHANNEL_USER;
	bool threads = user && opts->thread_nr;
	struct ktrace_channel_spec spec = {
		.size = sizeof(spec),
		.kind = kind,
		.ring_size = opts->ring_size,
		.block_size = opts->block_size,
		.policy = opts->policy,
		.thread_size = threads ? opts->thread_size : 0,
		.registry_size = user ? opts->registry_size : 0,
		.thread_nr = threads ? opts->thread_nr : 0,
		.timeout_ms = user ? opts->timeout_ms : 0,
		.watermark = (__u32)(opts->ring_size / 4 < 1u << 30 ? opts->ring_size / 4
								     : 1u << 30),
	};
	int error;

	if (!user && spec.policy == KTRACE_POLICY_BLOCK)
		spec.policy = KTRACE_POLICY_DROP;
	/* The module fails if there is too little memory, but not if it would leave none for us. */
	if (memory_for(&spec) > ktrace_memory_available())
		return -ENOMEM;
	error = control_ioctl(s->fd, KTRACE_IOC_CHANNEL, &spec);
	return error ? error : map_channel(s, ch, &spec);
}

static int get_info(struct ktrace_session *s, struct ktrace_info *info)
{
	*info = (struct ktrace_info) { .size = sizeof(*info) };
	return control_ioctl(s->fd, KTRACE_IOC_INFO, info);
}

static int fail_channel(struct ktrace_session *s, int error, const char *which)
{
	if (error == -EDQUOT)
		return session_fail(s, error, "the %s channel needs more memory than the module's "
				    "parameters max_session_mb and max_user_mb allow", which);
	if (error == -EBUSY)
		return session_fail(s, error, "the module has no room for another session, %s "
				    "channel", which);
	return session_fail(s, error, KTRACE_DEVICE ", %s channel", which);
}

static int add_channels(struct ktrace_session *s, const struct ktrace_session_options *opts)
{
	int error;

	if (opts->kernel) {
		error = add_channel(s, &s->kernel, KTRACE_CHANNEL_KERNEL, opts);
		if (error && error != -EPERM && error != -EACCES)
			return fail_channel(s, error, "kernel");
		s->kernel_error = error;
	}
	error = add_channel(s, &s->user, KTRACE_CHANNEL_USER, opts);
	if (error)
		return fail_channel(s, error, "user");
	session_fill_user(s->user.map, &s->user.control, opts->filter);
	return 0;
}

static void set_keep(const struct ktrace_session *s, __u32 on)
{
	/* A session that is not kept only cannot be recovered: nothing else fails. */
	control_ioctl(s->fd, KTRACE_IOC_KEEP, &on);
}

static int learn(struct ktrace_session *s)
{
	struct ktrace_info info;
	int error = get_info(s, &info);

	if (error)
		return session_fail(s, error, KTRACE_DEVICE ", information");
	snprintf(s->env, sizeof(s->env), "dev:%llx", (unsigned long long)info.session);
	clock_init(&s->clock, info.clock, (__u64)info.tsc_khz * 1000);
	return 0;
}

static int fail_open(struct ktrace_session *s, int error)
{
	switch (error) {
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		return session_fail(s, error, "the module is not loaded, " KTRACE_DEVICE);
	case -EACCES:
	case -EPERM:
		return session_fail(s, error, "neither root nor in the group of " KTRACE_DEVICE);
	default:
		return session_fail(s, error, KTRACE_DEVICE);
	}
}

static int dev_open(struct ktrace_session *s, const struct ktrace_session_options *opts)
{
	int error;

	s->fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return fail_open(s, -errno);
	error = add_channels(s, opts);
	if (!error)
		error = learn(s);
	if (!error)
		set_keep(s, 1);
	return error;
}

static void dev_leave(struct ktrace_session *s)
{
	channel_exit(&s->kernel);
	channel_exit(&s->user);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void dev_close(struct ktrace_session *s)
{
	if (s->fd >= 0)
		set_keep(s, 0);
	dev_leave(s);
}

static void dev_list(struct ktrace_stale *list, size_t max, size_t *nr)
{
	struct ktrace_kept kept = { .size = sizeof(kept) };
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	for (; !control_ioctl(fd, KTRACE_IOC_KEPT, &kept); kept.index++, ++*nr) {
		struct ktrace_stale *to = &list[*nr];

		if (*nr >= max)
			continue;
		*to = (struct ktrace_stale) {
			.id = kept.session, .backend = KTRACE_BACKEND_DEV, .uid = kept.uid,
			.bytes = kept.bytes, .seconds = kept.seconds,
		};
		snprintf(to->where, sizeof(to->where), "dev:%llx",
			 (unsigned long long)kept.session);
	}
	close(fd);
}

/* Maps an adopted channel; its first page gives its kind and size. */
static int map_adopted(struct ktrace_session *s, __u32 index)
{
	struct ktrace_channel_spec spec = { .map_off = (__u64)index << KTRACE_MAP_SHIFT };
	struct ktrace_control *page = mmap(NULL, LAYOUT_PAGE, PROT_READ, MAP_SHARED, s->fd,
					   (off_t)spec.map_off);
	struct channel *ch;

	if (page == MAP_FAILED)
		return -errno;
	spec.map_size = page->map_size;
	ch = page->kind == KTRACE_CHANNEL_KERNEL ? &s->kernel : &s->user;
	munmap(page, LAYOUT_PAGE);
	return ch->map ? -EBADMSG : map_channel(s, ch, &spec);
}

static int dev_adopt(struct ktrace_session *s, const struct ktrace_stale *which)
{
	struct ktrace_adopt adopt = { .size = sizeof(adopt), .session = which->id };
	int error;

	s->fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		return session_fail(s, -errno, KTRACE_DEVICE);
	error = control_ioctl(s->fd, KTRACE_IOC_ADOPT, &adopt);
	if (error)
		return session_fail(s, error, "%s", which->where);
	for (__u32 i = 0; i < adopt.channels; i++) {
		error = map_adopted(s, i);
		if (error)
			return session_fail(s, error, "%s, channel %u", which->where, i);
	}
	return learn(s);
}

static int dev_discard(const struct ktrace_stale *which)
{
	struct ktrace_adopt adopt = { .size = sizeof(adopt), .session = which->id };
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	__u32 keep = 0;
	int error;

	if (fd < 0)
		return -errno;
	error = control_ioctl(fd, KTRACE_IOC_ADOPT, &adopt);
	if (!error)
		error = control_ioctl(fd, KTRACE_IOC_KEEP, &keep);
	close(fd);
	return error;
}

static int dev_set_running(struct ktrace_session *s, bool running)
{
	return control_ioctl(s->fd, running ? KTRACE_IOC_START : KTRACE_IOC_STOP, NULL);
}

static int dev_enable(struct ktrace_session *s, __u16 id, bool on)
{
	struct ktrace_enable enable = { .id = id, .on = on };

	return control_ioctl(s->fd, KTRACE_IOC_ENABLE, &enable);
}

static int dev_filter(struct ktrace_session *s, const struct ktrace_kernel_filter *filter)
{
	struct ktrace_kernel_filter copy = *filter;

	copy.size = sizeof(copy);
	return control_ioctl(s->fd, KTRACE_IOC_FILTER, &copy);
}

static int dev_tracepoint(struct ktrace_session *s, __u32 number, __u16 *id)
{
	struct ktrace_tracepoint t = { .size = sizeof(t), .number = number };
	int error = control_ioctl(s->fd, KTRACE_IOC_TRACEPOINT, &t);

	*id = t.id;
	return error;
}

static int dev_missed(struct ktrace_session *s, __u16 id, __u64 *missed)
{
	struct ktrace_missed m = { .size = sizeof(m), .id = id };
	int error = control_ioctl(s->fd, KTRACE_IOC_MISSED, &m);

	*missed = m.missed;
	return error;
}

static int dev_exec(struct ktrace_session *s, struct ktrace_exec *next)
{
	*next = (struct ktrace_exec){ .size = sizeof(*next) };
	return control_ioctl(s->fd, KTRACE_IOC_EXEC, next);
}

static int dev_undecided(struct ktrace_session *s, __u64 *undecided)
{
	struct ktrace_info info;
	int error = get_info(s, &info);

	*undecided = error ? 0 : info.undecided;
	return error;
}

static int dev_follow(struct ktrace_session *s, __s32 pid)
{
	return control_ioctl(s->fd, KTRACE_IOC_FOLLOW, &pid);
}

static int dev_context(struct ktrace_session *s, __u16 id, __u16 bits)
{
	struct ktrace_context context = { .id = id, .bits = bits };

	if (!s->has_context && ktrace_memory_available() < CONTEXT_BYTES)
		return -ENOMEM;
	s->has_context = true;
	return control_ioctl(s->fd, KTRACE_IOC_CONTEXT, &context);
}

static int dev_counter(struct ktrace_session *s, __u32 type, __u64 config, __u32 *index)
{
	struct ktrace_counter counter = {
		.size = sizeof(counter), .type = type, .config = config,
	};
	int error = control_ioctl(s->fd, KTRACE_IOC_COUNTER, &counter);

	*index = counter.index;
	return error;
}

static int dev_stacks(struct ktrace_session *s, struct ktrace_stacks *arg)
{
	return control_ioctl(s->fd, KTRACE_IOC_STACKS, arg);
}

static int dev_info(struct ktrace_session *s, struct ktrace_session_info *out)
{
	struct ktrace_info info;
	int error = get_info(s, &info);

	if (error)
		return error;
	out->followed = info.followed;
	out->lost_noring = info.lost_noring;
	out->refused = info.refused;
	return 0;
}

static int dev_holders(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h)
{
	struct ktrace_info info;
	int error = get_info(s, &info);

	(void)limit;
	if (error)
		return error;
	/* Not the sum, which would count a followed process that also writes twice. */
	h->nr = info.followed > info.writers ? info.followed : info.writers;
	return 0;
}

/*
 * Calls @use with a mapping that can be written to. The session's owner cannot write to rings, so
 * it becomes a writer for a moment.
 */
static int as_writer(struct ktrace_session *s, int (*use)(struct ktrace_session *s, char *map))
{
	struct ktrace_attach attach = {
		.size = sizeof(attach),
		.session = s->user.control.session,
	};
	int fd, ret;
	char *map;

	fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = control_ioctl(fd, KTRACE_IOC_ATTACH, &attach);
	if (ret || attach.map_size != s->user.map_size)
		goto out_close;
	map = mmap(NULL, attach.map_size, PROT_READ, MAP_SHARED, fd, (off_t)attach.map_off);
	if (map == MAP_FAILED) {
		ret = -errno;
		goto out_close;
	}
	ret = make_writable(fd, map, attach.map_off, s->user.control.registry_off,
			    attach.map_size);
	if (!ret)
		ret = use(s, map);
	munmap(map, attach.map_size);
out_close:
	close(fd);
	return ret;
}

static int free_dead(struct ktrace_session *s, char *map)
{
	return (int)channel_free_dead(&s->user, map);
}

/* Takes back rings of dead owners. */
static int dev_reclaim(struct ktrace_session *s)
{
	return channel_dead_owners(&s->user) ? as_writer(s, free_dead) : 0;
}

static int dev_dismiss(struct ktrace_session *s)
{
	return as_writer(s, dismiss_all);
}

const struct session_backend session_backend_dev = {
	.name = "dev",
	.open = dev_open,
	.close = dev_close,
	.leave = dev_leave,
	.list = dev_list,
	.adopt = dev_adopt,
	.discard = dev_discard,
	.set_running = dev_set_running,
	.enable = dev_enable,
	.filter = dev_filter,
	.tracepoint = dev_tracepoint,
	.missed = dev_missed,
	.undecided = dev_undecided,
	.follow = dev_follow,
	.context = dev_context,
	.counter = dev_counter,
	.stacks = dev_stacks,
	.info = dev_info,
	.reclaim = dev_reclaim,
	.exec = dev_exec,
	.holders = dev_holders,
	.dismiss = dev_dismiss,
};
