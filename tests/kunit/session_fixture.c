// SPDX-License-Identifier: GPL-2.0
/*
 * session_fixture.c - session.c and account.c with what is static in them, and sessions for suites
 *
 * In ktrace_kunit.ko this takes the place of session.o and account.o.
 */
#include "session.c"
#include "account.c"
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include "orphans.h"
#include "session_fixture.h"

enum {
	SMALL_RING = 1 << 16,
	SMALL_BLOCK = 1 << 12,
};

u32 fix_session_nr(void)
{
	struct kt_session *s;
	u32 nr = 0;

	mutex_lock(&kt_sessions_lock);
	list_for_each_entry(s, &kt_sessions, node)
		nr++;
	mutex_unlock(&kt_sessions_lock);
	return nr;
}

u64 fix_user_bytes(kuid_t user)
{
	u64 bytes;

	mutex_lock(&kt_sessions_lock);
	bytes = sum_locked(user, account_pays);
	mutex_unlock(&kt_sessions_lock);
	return bytes;
}

static void reset_limits(void *unused)
{
	max_session_mb = 1024;
	max_user_mb = 2048;
}

void fix_set_limits(struct kunit *test, uint session_mb, uint user_mb)
{
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, reset_limits, NULL), 0);
	max_session_mb = session_mb;
	max_user_mb = user_mb;
}

/* ---- sessions from inside ---- */

struct ktrace_channel_spec fix_spec(u32 kind)
{
	struct ktrace_channel_spec spec = {
		.size = sizeof(spec),
		.kind = kind,
		.ring_size = SMALL_RING,
		.block_size = SMALL_BLOCK,
		.watermark = SMALL_BLOCK,	/* so that kernel rings are quick */
	};

	if (kind == KTRACE_CHANNEL_USER) {
		spec.registry_size = 2 * PAGE_SIZE;
		spec.thread_nr = 2;
		spec.thread_size = SMALL_RING / 2;
	}
	return spec;
}

int fix_add_channel(struct kt_session *s, u32 kind)
{
	struct ktrace_channel_spec spec = fix_spec(kind);

	return kt_session_add_channel(s, &spec);
}

static void close_session(void *s)
{
	kt_session_close(s);
}

struct kt_session *fix_session(struct kunit *test, bool has_kernel)
{
	struct kt_session *s;

	KUNIT_ASSERT_EQ(test, kt_session_create(&s), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_session, s), 0);
	if (has_kernel)
		KUNIT_ASSERT_EQ(test, fix_add_channel(s, KTRACE_CHANNEL_KERNEL), 0);
	return s;
}

void fix_close(struct kunit *test, struct kt_session *s)
{
	kunit_release_action(test, close_session, s);
}

static u32 kept(void)
{
	struct ktrace_info info;

	kt_orphans_info(&info);
	return info.kept;
}

void fix_adopt(struct kunit *test, struct kt_session *s)
{
	struct ktrace_adopt adopt = { .session = s->id };
	struct kt_session *adopted;

	s->keep = true;
	kunit_remove_action(test, close_session, s);
	kt_orphans_close(s);
	KUNIT_ASSERT_EQ(test, kept(), 1);
	KUNIT_ASSERT_EQ(test, kt_orphans_adopt(&adopt, &adopted), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_session, adopted), 0);
	KUNIT_EXPECT_PTR_EQ(test, adopted, s);
	KUNIT_EXPECT_EQ(test, adopt.channels, s->channel_nr);
	KUNIT_EXPECT_EQ(test, kept(), 0);
	KUNIT_EXPECT_EQ(test, kt_orphans_adopt(&adopt, &adopted), -ENOENT);
}

static u32 drain_ring(struct kunit *test, const struct kt_ring *r, fix_visit visit, void *arg)
{
	struct ktrace_record rec;
	struct kt_reader rd;
	struct kt_cursor cur;
	const char *payload;
	struct kt_chunk c;
	u32 nr = 0;

	kt_reader_init(&rd, r);
	while (kt_reader_peek(&rd, true, &c)) {
		KUNIT_EXPECT_EQ(test, c.corrupt, 0);
		cur = (struct kt_cursor){ .base = c.data, .end = c.size };
		cur.off = c.pos & (r->block_size - 1) ? 0 : sizeof(struct ktrace_block);
		while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
			if (!kt_record_is_event(&rec))
				continue;
			if (visit)
				visit(&rec, payload, arg);
			nr++;
		}
		kt_reader_advance(&rd, &c);
	}
	return nr;
}

u32 fix_drain(struct kunit *test, struct kt_session *s, fix_visit visit, void *arg)
{
	u32 i, nr = 0;

	for (i = 0; i < s->kernel->l.ring_nr; i++)
		if (s->kernel->rings[i].data)
			nr += drain_ring(test, &s->kernel->rings[i], visit, arg);
	return nr;
}

u64 fix_lost(const struct kt_session *s)
{
	u64 sum = 0;
	u32 i, j;

	for (i = 0; i < s->kernel->l.ring_nr; i++)
		for (j = 0; j < KTRACE_LOST_NR; j++)
			sum += READ_ONCE(s->kernel->rings[i].w->lost.count[j]);
	return sum;
}

/* ---- sessions by descriptor ---- */

/*
 * A kernel thread leaves the release of a file to a worker, which cannot be waited for once
 * it has begun. So the last reference is one of ours.
 */
static void close_file(void *file)
{
	get_file(file);
	filp_close(file, NULL);
	__fput_sync(file);
}

struct file *fix_open(struct kunit *test, int flags)
{
	struct file *file = filp_open("/dev/ktrace", flags, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_file, file), 0);
	return file;
}

void fix_release(struct kunit *test, struct file *file)
{
	kunit_release_action(test, close_file, file);
}

long fix_ioctl(struct kunit *test, struct file *file, uint cmd, void *arg, size_t size)
{
	const unsigned long page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, 0);
	void __user *user = (void __user *)page;
	long err;

	KUNIT_ASSERT_NE(test, page, 0);
	KUNIT_ASSERT_EQ(test, copy_to_user(user, arg, size), 0);
	err = file->f_op->unlocked_ioctl(file, cmd, page);
	KUNIT_ASSERT_EQ(test, copy_from_user(arg, user, size), 0);
	vm_munmap(page, PAGE_SIZE);
	return err;
}

unsigned long fix_mmap(struct file *file, u64 off, u64 size, int prot, int flags)
{
	return vm_mmap(file, 0, size, prot, flags, off);
}

static struct file *mapped_file(unsigned long addr)
{
	struct vm_area_struct *vma;
	struct file *file;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, addr);
	file = vma && vma->vm_file ? get_file(vma->vm_file) : NULL;
	mmap_read_unlock(current->mm);
	return file;
}

void fix_munmap(unsigned long addr, u64 size)
{
	struct file *file = mapped_file(addr);

	vm_munmap(addr, size);
	if (file)
		__fput_sync(file);
}

struct file *fix_owner(struct kunit *test, u32 kind, struct ktrace_channel_spec *spec)
{
	struct file *file = fix_open(test, O_RDWR);

	*spec = fix_spec(kind);
	KUNIT_ASSERT_EQ(test, fix_ioctl(test, file, KTRACE_IOC_CHANNEL, spec, sizeof(*spec)), 0);
	return file;
}

struct ktrace_info fix_info(struct kunit *test, struct file *file)
{
	struct ktrace_info info = { .size = sizeof(info) };

	KUNIT_ASSERT_EQ(test, fix_ioctl(test, file, KTRACE_IOC_INFO, &info, sizeof(info)), 0);
	return info;
}

struct file *fix_writer(struct kunit *test, struct file *owner, struct ktrace_attach *attach)
{
	struct file *file = fix_open(test, O_RDWR);

	*attach = (struct ktrace_attach){
		.size = sizeof(*attach),
		.session = fix_info(test, owner).session,
	};
	KUNIT_ASSERT_EQ(test, fix_ioctl(test, file, KTRACE_IOC_ATTACH, attach, sizeof(*attach)), 0);
	return file;
}

/* ---- who calls ---- */

const struct cred *fix_become(struct kunit *test, uid_t uid)
{
	struct cred *cred = prepare_creds();
	const struct cred *before;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->euid = make_kuid(&init_user_ns, uid);
	cap_clear(cred->cap_effective);
	before = override_creds(cred);
	put_cred(cred);
	return before;
}

void fix_unbecome(const struct cred *before)
{
	revert_creds(before);
}
