// SPDX-License-Identifier: GPL-2.0
/*
 * test_send_disk.c - what ktraced has written of a chunk, and takes back, wherever it is by then
 */
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../userspace/daemon/shark/chunk.c"
#include "../../userspace/daemon/base/log.c"
#include "../../userspace/daemon/shark/send_disk.c"

#define SLOTS 100

static struct disk disk;
static char folder[] = "/tmp/ktrace-test-XXXXXX";

/* Sends @nr events as chunk 1. */
static struct disk_done send_events(unsigned int nr)
{
	static unsigned char slots[SLOTS * CHUNK_SLOT];
	struct chunk c = { .memory = slots, .parts = { { 0, nr * CHUNK_SLOT } }, .nr = 1 };
	struct disk_done done;

	memset(slots, 'e', sizeof(slots));
	CHECK_EQ(disk_send(&disk, 1, "trace", &c, &done), 0);
	CHECK_EQ(done.events, nr);
	CHECK_STR(done.name, "1trace");
	return done;
}

/* Slots in the chunk's file, -1 = there is none */
static long slots_there(void)
{
	struct stat st;

	return fstatat(disk.folder_fd, "1trace", &st, 0) ? -1 : st.st_size / (long)CHUNK_SLOT;
}

static void put_there(int flags)
{
	int fd = openat(disk.folder_fd, "1trace", O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	CHECK_EQ(write(fd, "0123456789abcdef", CHUNK_SLOT), CHUNK_SLOT);
	close(fd);
}

static void begin(void)
{
	disk.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(disk.folder_fd >= 0);
	CHECK_EQ(slots_there(), -1);
}

static void end(void)
{
	unlinkat(disk.folder_fd, "1trace", 0);
	disk_exit(&disk);
}

static void test_a_new_file_is_removed(void)
{
	struct disk_done done;

	begin();
	done = send_events(3);
	CHECK(done.is_new);
	CHECK_EQ(slots_there(), 3);
	disk_undo(&disk, &done);
	CHECK_EQ(slots_there(), -1);
	disk_undo(&disk, &done);
	/* The next one makes it again. */
	done = send_events(2);
	CHECK(done.is_new);
	CHECK_EQ(slots_there(), 2);
	end();
}

static void test_what_was_appended_is_cut_off(void)
{
	struct disk_done done;

	begin();
	send_events(3);
	done = send_events(7);
	CHECK(!done.is_new);
	CHECK_EQ(slots_there(), 10);
	disk_undo(&disk, &done);
	CHECK_EQ(slots_there(), 3);
	done = send_events(1);
	CHECK_EQ(done.before, 3 * CHUNK_SLOT);
	CHECK_EQ(slots_there(), 4);
	end();
}

static void test_what_others_appended_stays(void)
{
	struct disk_done first, second;

	begin();
	first = send_events(3);
	second = send_events(7);
	disk_undo(&disk, &first);
	CHECK_EQ(slots_there(), 10);
	put_there(O_APPEND);
	disk_undo(&disk, &second);
	CHECK_EQ(slots_there(), 11);
	end();
}

static void test_a_file_of_somebody_else_is_left_alone(void)
{
	struct disk_done done;

	begin();
	done = send_events(3);
	unlinkat(disk.folder_fd, "1trace", 0);
	disk_undo(&disk, &done);
	CHECK_EQ(slots_there(), -1);
	put_there(O_EXCL);
	disk_undo(&disk, &done);
	CHECK_EQ(slots_there(), 1);
	end();
}

static void test_what_was_not_sent_is_nothing(void)
{
	struct disk_done done = { .name = "1trace", .is_new = true };

	begin();
	put_there(O_EXCL);
	disk_undo(&disk, &done);
	CHECK_EQ(slots_there(), 1);
	end();
}

int main(void)
{
	CHECK(mkdtemp(folder));
	test_a_new_file_is_removed();
	test_what_was_appended_is_cut_off();
	test_what_others_appended_stays();
	test_a_file_of_somebody_else_is_left_alone();
	test_what_was_not_sent_is_nothing();
	CHECK_EQ(rmdir(folder), 0);
	puts("ok");
	return 0;
}
