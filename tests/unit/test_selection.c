// SPDX-License-Identifier: GPL-2.0
/*
 * test_selection.c - which user events are on, when that is changed while a session runs; and many
 *
 * Events are registered by hand, so this needs no libktrace.
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../../userspace/lib/session/internal.h"

static const struct ktrace_session_options options = {
	.size = sizeof(options),
	.backend = KTRACE_BACKEND_SHM,
	.policy = KTRACE_POLICY_DROP,
	.ring_size = 65536,
	.registry_size = 65536,
	.block_size = 4096,
	.filter = "demo:*",
};

/* One more event, as a writer would register it, read from the registry. */
static __u64 add_event(struct ktrace_session *s, __u64 off, __u16 id, const char *text)
{
	struct ktrace_entry *e = (struct ktrace_entry *)(s->registry.base + off);
	__u32 size = (__u32)(sizeof(*e) + strlen(text) + 8) & ~7u;
	struct ktrace_entry_copy copy;

	memcpy(e + 1, text, strlen(text) + 1);
	e->type = KTRACE_ENTRY_EVENT;
	e->id = id;
	e->word = KTRACE_ENTRY_READY | size;
	assert(ktrace_registry_next(s, &copy) == 1 && copy.id == id);
	return off + size;
}

static void test_selection(void)
{
	const __u16 off_id = KTRACE_ID_OFF + 1;
	struct ktrace_session *s;
	const char *on, *filter;
	char long_filter[KTRACE_FILTER_SIZE + 1], text[600] = "long:";
	__u64 off = sizeof(struct ktrace_registry);

	assert(!ktrace_session_create(&options, &s, NULL) && !ktrace_session_start(s));
	on = s->user.map + s->user.control.enable_off;
	filter = s->user.map + s->user.control.filter_off;
	off = add_event(s, off, 77, "demo:a{}");
	assert(on[77] && on[78] && !on[off_id]);
	assert(!ktrace_session_select(s, "other:*,x[ab]:?"));
	assert(!strcmp(filter, "other:*,x[ab]:?"));
	/* What is known by name, and what is not yet */
	assert(!on[77] && on[78] && !on[off_id]);
	off = add_event(s, off, off_id, "other:b{u32 x;}@file.c:3");
	off = add_event(s, off, 78, "demo:c{}");
	off = add_event(s, off, 79, "xa:1{}");
	assert(on[off_id] && !on[78] && on[79]);
	/* What enable() says holds until the next choice. */
	assert(!ktrace_session_enable(s, KTRACE_CHANNEL_USER, 78, true) && on[78]);
	assert(!ktrace_session_select(s, "demo:a"));
	assert(on[77] && !on[78] && !on[79] && !on[off_id]);
	/* A name that is too long is compared as far as it is remembered. */
	memset(text + 5, 'y', sizeof(text) - 6);
	off = add_event(s, off, 80, text);
	assert(!ktrace_session_select(s, "long:y*") && on[80]);
	assert(!ktrace_session_stop(s) && !on[80]);
	assert(!ktrace_session_select(s, NULL) && !on[77] && !*filter);
	assert(!ktrace_session_start(s));
	assert(on[77] && on[78] && on[79] && on[80] && on[off_id] && !on[off_id + 1]);
	memset(long_filter, 'x', sizeof(long_filter) - 1);
	long_filter[sizeof(long_filter) - 1] = '\0';
	assert(ktrace_session_select(s, long_filter) == -EINVAL && on[77]);
	ktrace_session_destroy(s);
}

/* Far more entries than there is room for at first, and each is delivered. */
static void test_registry_grows(void)
{
	static struct ktrace_entry_copy copy;
	static char text[4096];
	struct ktrace_session_options o = options;
	struct ktrace_session *s;
	const struct ktrace_control *c;
	__u64 off = sizeof(struct ktrace_registry);
	struct stat before, after;

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "demo:", 5);
	o.registry_size = 1 << 20;
	assert(!ktrace_session_create(&o, &s, NULL));
	c = channel_control(&s->user);
	assert(c->registry_size == 1 << 20 && !fstat(s->fd, &before));
	while (off + 2 * sizeof(text) < c->registry_size) {
		off = add_event(s, off, 77, text);
	}
	assert(c->registry_size == 16 << 20 && off > 15 << 20);
	assert(c->registry_off + c->registry_size <= c->rings_off);
	assert(!ktrace_registry_next(s, &copy));
	/* Writers never find a page that /dev/shm has no room for. */
	assert(!fstat(s->fd, &after) && after.st_size == before.st_size);
	assert(after.st_blocks - before.st_blocks == (15 << 20) / 512);
	assert((__u64)after.st_blocks * 512 >= (__u64)after.st_size);
	ktrace_session_destroy(s);
}

int main(void)
{
	test_selection();
	test_registry_grows();
	puts("selection: all passed");
	return 0;
}
