// SPDX-License-Identifier: GPL-2.0
/* dev_mmap.c - who may map which part of a channel, and how: uapi/linux/ktrace.h section 2 */
#include "dev.h"

#define PAGE ((__u64)sysconf(_SC_PAGESIZE))

enum role { OWNER, WRITER };

static void *map(int fd, __u64 off, size_t size, int prot)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, (off_t)off);
}

/* Reads each page, and writes it back if @prot says so. */
static void touch(char *at, size_t size, int prot)
{
	size_t i;

	for (i = 0; i < size; i += PAGE) {
		volatile char *byte = at + i;
		char old = *byte;

		if (prot & PROT_WRITE)
			*byte = old;
	}
}

/* Maps [from, to): reading must work; writing exactly if @writable. */
static void check_area(int fd, __u64 base, __u64 from, __u64 to, int writable)
{
	const int rw = PROT_READ | PROT_WRITE;
	const size_t size = to - from;
	char *at = map(fd, base + from, size, PROT_READ);

	EXPECT(at != MAP_FAILED);
	touch(at, size, PROT_READ);
	EXPECT_ERRNO(mprotect(at, size, rw), EACCES);
	EXPECT_ERRNO(mprotect(at, size, PROT_READ | PROT_EXEC), EACCES);
	munmap(at, size);

	errno = 0;
	at = map(fd, base + from, size, rw);
	EXPECT_EQ(at == MAP_FAILED ? errno : 0, writable ? 0 : EPERM);
	if (at == MAP_FAILED)
		return;
	touch(at, size, rw);
	EXPECT_ERRNO(mprotect(at, size, rw | PROT_EXEC), EACCES);
	munmap(at, size);
}

/* First and last page of the area, and all of it. */
static void check_pages(int fd, __u64 base, __u64 from, __u64 to, int writable)
{
	check_area(fd, base, from, from + PAGE, writable);
	check_area(fd, base, to - PAGE, to, writable);
	check_area(fd, base, from, to, writable);
}

static void user_channel(enum role role)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int owner = dev_open(), fd = owner;
	const struct ktrace_control *c;
	struct ktrace_attach a;
	__u64 base;

	dev_add_channel(owner, &ch);
	c = ch.control;
	base = ch.spec.map_off;
	if (role == WRITER) {
		fd = dev_open();
		EXPECT_ERRNO(dev_attach(fd, c->session, &a), 0);
		base = a.map_off;
	}
	EXPECT_EQ(c->registry_off % PAGE, 0);
	EXPECT_EQ(c->rings_off % PAGE, 0);
	check_pages(fd, base, 0, c->tail_off & ~(PAGE - 1), role == OWNER);
	check_pages(fd, base, c->tail_off & ~(PAGE - 1), c->registry_off, role == OWNER);
	check_pages(fd, base, c->registry_off, c->rings_off, 1);
	check_pages(fd, base, c->rings_off, c->threads_off, role == WRITER);
	check_pages(fd, base, c->threads_off, c->map_size, role == WRITER);
	/* spanning areas: only the rights that all grant */
	check_area(fd, base, 0, c->map_size, 0);
	check_area(fd, base, 0, c->rings_off, role == OWNER);
	check_area(fd, base, c->registry_off, c->map_size, role == WRITER);
	check_area(fd, base, c->registry_off - PAGE, c->registry_off + PAGE, role == OWNER);
	check_area(fd, base, c->rings_off - PAGE, c->rings_off + PAGE, role == WRITER);
}

static void owner_of_user_channel(void)
{
	user_channel(OWNER);
}

static void writer_of_user_channel(void)
{
	user_channel(WRITER);
}

static void owner_of_kernel_channel(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	const struct ktrace_control *c;
	int fd = dev_open();

	dev_add_channel(fd, &ch);
	c = ch.control;
	EXPECT_EQ(c->registry_off, 0);
	EXPECT_EQ(c->tail_off % PAGE, 0);
	check_pages(fd, 0, 0, c->tail_off, 0);
	check_pages(fd, 0, c->tail_off, c->rings_off, 1);
	check_pages(fd, 0, c->rings_off, c->map_size, 0);
	check_area(fd, 0, 0, c->map_size, 0);
	check_area(fd, 0, c->tail_off - PAGE, c->rings_off, 0);
	check_area(fd, 0, c->tail_off, c->rings_off + PAGE, 0);
}

static void kernel_channel_is_not_for_writers(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int owner = dev_open(), writer = dev_open();
	struct ktrace_attach a;

	dev_add_channel(owner, &kernel);
	dev_add_channel(owner, &user);
	EXPECT_ERRNO(dev_attach(writer, dev_info(owner).session, &a), 0);
	EXPECT_EQ(a.map_off, 1ull << KTRACE_MAP_SHIFT);
	EXPECT_ERRNO(map(writer, kernel.spec.map_off, PAGE, PROT_READ), EPERM);
	EXPECT_ERRNO(map(writer, a.map_off, PAGE, PROT_READ), 0);
}

static void boundaries(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int fd = dev_open(), read_only = open("/dev/ktrace", O_RDONLY);
	struct ktrace_attach a;
	__u64 size;

	EXPECT_ERRNO(map(fd, 0, PAGE, PROT_READ), ENXIO);
	dev_add_channel(fd, &ch);
	size = ch.spec.map_size;
	EXPECT_ERRNO(map(fd, 0, size, PROT_READ), 0);
	EXPECT_ERRNO(map(fd, 0, size + PAGE, PROT_READ), EINVAL);
	EXPECT_ERRNO(map(fd, size - PAGE, PAGE, PROT_READ), 0);
	EXPECT_ERRNO(map(fd, size - PAGE, 2 * PAGE, PROT_READ), EINVAL);
	EXPECT_ERRNO(map(fd, size, PAGE, PROT_READ), EINVAL);
	EXPECT_ERRNO(map(fd, (1ull << KTRACE_MAP_SHIFT) - PAGE, PAGE, PROT_READ), EINVAL);
	EXPECT_ERRNO(map(fd, 1ull << KTRACE_MAP_SHIFT, PAGE, PROT_READ), ENXIO);
	EXPECT_ERRNO(map(fd, 15ull << KTRACE_MAP_SHIFT, PAGE, PROT_READ), ENXIO);
	/* The C library of 32 bits refuses what its mmap2() cannot say. */
	EXPECT_ERRNO(map(fd, 100ull << KTRACE_MAP_SHIFT, PAGE, PROT_READ),
		     sizeof(long) == 8 ? ENXIO : EINVAL);
	EXPECT_ERRNO(map(fd, 0, PAGE, PROT_READ | PROT_EXEC), EPERM);
	EXPECT_ERRNO(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0), EINVAL);
	EXPECT_ERRNO(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0), EINVAL);
	EXPECT_ERRNO(mremap(ch.map, PAGE, 2 * PAGE, MREMAP_MAYMOVE), EFAULT);
	/* a descriptor that is not open for writing */
	EXPECT_ERRNO(dev_attach(read_only, ch.control->session, &a), 0);
	EXPECT_ERRNO(map(read_only, ch.control->rings_off, PAGE, PROT_READ), 0);
	EXPECT_ERRNO(map(read_only, ch.control->rings_off, PAGE, PROT_READ | PROT_WRITE), EACCES);
}

/* What one side stores the other sees, whichever mapping it has. */
static void shared(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int owner = dev_open(), writer = dev_open();
	const struct ktrace_control *c;
	struct ktrace_attach a;
	char *w, *r;

	dev_add_channel(owner, &ch);
	c = ch.control;
	EXPECT_EQ(((struct ktrace_registry *)(ch.map + c->registry_off))->next_on,
		  KTRACE_ID_FIRST);
	EXPECT_EQ(((struct ktrace_registry *)(ch.map + c->registry_off))->next_off,
		  KTRACE_ID_OFF);
	EXPECT_ERRNO(dev_attach(writer, c->session, &a), 0);
	w = map(writer, a.map_off + c->registry_off, c->map_size - c->registry_off,
		PROT_READ | PROT_WRITE);
	EXPECT(w != MAP_FAILED);
	r = map(writer, a.map_off, c->map_size, PROT_READ);
	EXPECT(r != MAP_FAILED);
	w[c->rings_off - c->registry_off + c->data_off + 5] = 42;
	w[c->map_size - c->registry_off - 1] = 43;
	EXPECT_EQ(ch.map[c->rings_off + c->data_off + 5], 42);
	EXPECT_EQ(ch.map[c->map_size - 1], 43);
	ch.map[c->enable_off + 100] = 1;
	EXPECT_EQ(r[c->enable_off + 100], 1);
}

static void try_inherited(void *arg)
{
	unsigned char vec;

	/* the owner's mapping is not there in its children */
	EXPECT_ERRNO(mincore(arg, PAGE, &vec), ENOMEM);
}

static void fork_inherits(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int owner = dev_open(), writer = dev_open(), status;
	struct ktrace_attach a;
	unsigned int before;
	char *w;
	pid_t pid;

	dev_add_channel(owner, &ch);
	dev_in_child(try_inherited, ch.map);
	EXPECT_ERRNO(dev_attach(writer, ch.control->session, &a), 0);
	w = map(writer, a.map_off, a.map_size, PROT_READ);
	close(writer);
	before = dev_info(owner).writers;
	EXPECT_EQ(before, 1);
	pid = fork();
	if (!pid) {
		touch(w, a.map_size, PROT_READ);
		pause();
	}
	EXPECT_EQ(dev_info(owner).writers, 2);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_EQ(dev_info(owner).writers, 1);
	munmap(w, PAGE);
	EXPECT_EQ(dev_info(owner).writers, 1);
	munmap(w + 2 * PAGE, PAGE);
	EXPECT_EQ(dev_info(owner).writers, 2);	/* two pieces */
	munmap(w, a.map_size);
	EXPECT_EQ(dev_info(owner).writers, 0);
}

/* Memory outlives the owner for a writer that has it mapped, and says so. */
static void outlives_owner(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int owner = dev_open(), writer = dev_open();
	const struct ktrace_control *c;
	struct ktrace_attach a;
	__u64 session;
	char *w, *rings;

	dev_add_channel(owner, &ch);
	session = ch.control->session;
	EXPECT_ERRNO(dev_attach(writer, session, &a), 0);
	w = map(writer, a.map_off, a.map_size, PROT_READ);
	c = (struct ktrace_control *)w;
	rings = map(writer, a.map_off + c->rings_off, c->map_size - c->rings_off,
		    PROT_READ | PROT_WRITE);
	close(writer);
	memset(ch.map + c->enable_off, 1, c->id_nr);
	EXPECT_ERRNO(ioctl(owner, KTRACE_IOC_START), 0);
	EXPECT_EQ(c->state, KTRACE_STATE_RUNNING);
	munmap(ch.map, ch.spec.map_size);
	EXPECT_EQ(c->state, KTRACE_STATE_RUNNING);
	close(owner);
	EXPECT_EQ(c->state, KTRACE_STATE_CLOSED);
	EXPECT(!memchr(w + c->enable_off, 1, c->id_nr));
	touch(rings, c->map_size - c->rings_off, PROT_READ | PROT_WRITE);
	writer = dev_open();
	EXPECT_ERRNO(dev_attach(writer, session, &a), ENOENT);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "owner_of_user_channel", owner_of_user_channel },
		{ "writer_of_user_channel", writer_of_user_channel },
		{ "owner_of_kernel_channel", owner_of_kernel_channel },
		{ "kernel_channel_is_not_for_writers", kernel_channel_is_not_for_writers },
		{ "boundaries", boundaries },
		{ "shared", shared },
		{ "fork_inherits", fork_inherits },
		{ "outlives_owner", outlives_owner },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
