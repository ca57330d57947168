// SPDX-License-Identifier: GPL-2.0
/* test_pft_disk.c - files and their threads: what is asked of one, what comes of it, and when */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/session/disk.h"
#include "service/session/service.h"

#define SIZE 1000	/* of a packet */
#define HEAD 3		/* tag and length */

static struct service service;
static struct connection owner = { .service = &service };
static char folder[] = "/tmp/test_pft_disk.XXXXXX";
static char path[64];

/* What the last operation came to */
static struct {
	int calls, error;
	uint64_t size;
} last;

static void done(void *arg, int error, uint64_t size)
{
	CHECK(arg == &last);
	last.calls++;
	last.error = error;
	last.size = size;
	loop_stop(&service.loop);
}

static void begin(void)
{
	int ends[2];

	CHECK_EQ(service_init(&service), 0);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	owner.source.fd = ends[0];
	owner.cred.uid = geteuid();
	owner.cred.gid = getegid();
	close(ends[1]);
	last.calls = 0;
}

/* All threads have ended then. */
static void end(void)
{
	service_exit(&service);
	CHECK(LIST_EMPTY(&service.disks));
	close(owner.source.fd);
}

static struct disk *open_disk(const char *name, int fd)
{
	struct disk *d;

	CHECK_EQ(disk_open(&d, &owner, name, fd), 0);
	disk_then(d, done, &last);
	loop_run(&service.loop);
	CHECK_EQ(last.calls, 1);
	return d;
}

static struct batch packets(unsigned int nr)
{
	struct batch b = { 0 };
	uint8_t packet[SIZE];

	for (unsigned int i = 0; i < nr; i++) {
		memset(packet, (int)('a' + i % 26), SIZE);
		batch_add(&b, packet, SIZE, NULL, 0);
	}
	CHECK_EQ(batch_count(&b, 0), nr);
	return b;
}

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? -1 : st.st_size;
}

static void in_turn(void)
{
	struct batch b = packets(10);
	struct disk *d;

	begin();
	d = open_disk(path, -1);
	CHECK_EQ(last.error, 0);
	for (int i = 0; i < 200; i++) {
		disk_write(d, &b, i == 199);
		loop_run(&service.loop);
		CHECK_EQ(last.error, 0);
		CHECK_EQ(last.size, b.size);
	}
	CHECK_EQ(last.calls, 201);
	disk_close(d, false);
	end();
	CHECK_EQ(size_of(path), 200 * b.size);
	unlink(path);
	batch_exit(&b);
}

static void closed_at_work(void)
{
	struct batch b = packets(5000);
	struct disk *d;

	begin();
	d = open_disk(path, -1);
	disk_write(d, &b, false);
	disk_close(d, false);
	end();
	/* It was not told of, but done. */
	CHECK_EQ(last.calls, 1);
	CHECK_EQ(size_of(path), b.size);
	unlink(path);
	batch_exit(&b);
}

static void unwanted(void)
{
	struct disk *d;
	int fd;

	begin();
	disk_close(open_disk(path, -1), true);
	end();
	CHECK_EQ(size_of(path), -1);

	/* What was there before stays. */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	begin();
	d = open_disk(path, -1);
	CHECK_EQ(last.error, -EEXIST);
	disk_close(d, true);
	last.calls = 0;
	disk_close(open_disk(NULL, fd), true);
	CHECK_EQ(last.error, 0);
	end();
	CHECK_EQ(size_of(path), 0);
	unlink(path);
}

static void no_file(void)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	begin();
	disk_close(open_disk(NULL, ends[1]), false);
	CHECK_EQ(last.error, -ESPIPE);
	end();
	close(ends[0]);
}

/* As on a full disk, the last write is a part of what it was to be. */
static void cut_back(void)
{
	const struct rlimit small = { 4 * (SIZE + HEAD) + 500, RLIM_INFINITY };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct batch b = packets(3);
	struct disk *d;

	begin();
	d = open_disk(path, -1);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	disk_write(d, &b, false);
	loop_run(&service.loop);
	CHECK_EQ(last.error, 0);
	disk_write(d, &b, false);
	loop_run(&service.loop);
	CHECK_EQ(last.error, -EFBIG);
	CHECK_EQ(last.size, SIZE + HEAD);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &all), 0);
	/* Behind what is missing nothing is written any more. */
	disk_write(d, &b, false);
	loop_run(&service.loop);
	CHECK_EQ(last.error, -EFBIG);
	CHECK_EQ(last.size, 0);
	disk_close(d, false);
	end();
	CHECK_EQ(size_of(path), 4 * (SIZE + HEAD));
	CHECK_EQ(batch_fitting(&b, 2 * (SIZE + HEAD) + 1), 2 * (SIZE + HEAD));
	CHECK_EQ(batch_count(&b, SIZE + HEAD), 2);
	unlink(path);
	batch_exit(&b);
}

static void copied(void)
{
	struct batch b = packets(4), tail = packets(1);
	struct disk_part part;
	struct disk *from, *to;
	char copy[80];

	snprintf(copy, sizeof(copy), "%s.copy", path);
	begin();
	from = open_disk(path, -1);
	disk_write(from, &b, false);
	loop_run(&service.loop);
	last.calls = 0;
	to = open_disk(copy, -1);
	part = disk_part(from, 2 * (SIZE + HEAD));
	disk_copy(to, &part, &tail);
	CHECK_EQ(tail.size, 0);
	loop_run(&service.loop);
	CHECK_EQ(last.error, 0);
	disk_close(to, false);
	disk_close(from, false);
	end();
	CHECK_EQ(size_of(copy), 3 * (SIZE + HEAD));
	unlink(copy);
	unlink(path);
	batch_exit(&b);
}

static void too_many(void)
{
	struct disk *disks[20], *more;

	begin();
	for (int i = 0; i < 20; i++) {
		last.calls = 0;
		disks[i] = open_disk(path, -1);
	}
	CHECK_EQ(disk_open(&more, &owner, path, -1), -EUSERS);
	for (int i = 0; i < 20; i++)
		disk_close(disks[i], true);
	end();
}

int main(void)
{
	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	in_turn();
	closed_at_work();
	unwanted();
	no_file();
	cut_back();
	copied();
	too_many();
	rmdir(folder);
	return 0;
}
