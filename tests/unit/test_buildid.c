// SPDX-License-Identifier: GPL-2.0
/*
 * test_buildid.c - build ids of files: of both classes, cut off, with wrong sizes
 */
#include "check.h"

#include <stdlib.h>
#include <sys/inotify.h>

#include "../../userspace/daemon/context/buildid.c"

/* Two notes: one that is not it, and a build id of five bytes */
static const unsigned char notes[] = {
	4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 0, 0,
	4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0, 1, 2, 0, 0, 0,
};

static char path[] = "/tmp/buildid.XXXXXX";

static void write_file(const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(data, 1, size, f) == size);
	CHECK_EQ(fclose(f), 0);
}

static void test_every_cut(const void *data, size_t size)
{
	char text[BUILDID_TEXT];

	for (size_t cut = 0; cut < size; cut++) {
		write_file(data, cut);
		CHECK(!buildid_of_file(path, text));
	}
	write_file(data, size);
	CHECK(buildid_of_file(path, text));
	CHECK(!strcmp(text, "abcd000102"));
}

/* A file of this class, and a segment of no interest in front of the notes */
#define TEST_CLASS(bits) \
static void test_class_##bits(void) \
{ \
	struct { \
		Elf##bits##_Ehdr h; \
		Elf##bits##_Phdr ph[2]; \
		unsigned char notes[sizeof(notes)]; \
	} file = { \
		.h = { \
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS##bits }, \
			.e_phoff = sizeof(file.h), \
			.e_phentsize = sizeof(file.ph[0]), \
			.e_phnum = 2, \
		}, \
		.ph[0] = { .p_type = PT_LOAD, .p_filesz = sizeof(file) }, \
		.ph[1] = { .p_type = PT_NOTE, .p_filesz = sizeof(notes) }, \
	}; \
	char text[BUILDID_TEXT]; \
\
	file.ph[1].p_offset = (typeof(file.ph[1].p_offset))((char *)file.notes - (char *)&file); \
	memcpy(file.notes, notes, sizeof(notes)); \
	test_every_cut(&file, (size_t)((char *)file.notes - (char *)&file) + sizeof(notes)); \
	file.h.e_ident[EI_CLASS] = 3; \
	write_file(&file, sizeof(file)); \
	CHECK(!buildid_of_file(path, text)); \
	file.h.e_ident[EI_CLASS] = ELFCLASS##bits; \
	file.ph[1].p_filesz = NOTES_MAX + 1; \
	write_file(&file, sizeof(file)); \
	CHECK(!buildid_of_file(path, text)); \
	file.ph[1].p_filesz = sizeof(notes); \
	file.h.e_phoff = (typeof(file.h.e_phoff))-1; \
	write_file(&file, sizeof(file)); \
	CHECK(!buildid_of_file(path, text)); \
}

TEST_CLASS(32)
TEST_CLASS(64)

/* Of files that the kernel makes up, reading some takes away what others wait for: none is read. */
static void test_no_file_of_the_kernel(void)
{
	int fd = inotify_init1(IN_NONBLOCK);
	char name[64], text[BUILDID_TEXT], event[512];

	snprintf(name, sizeof(name), "/proc/%d/limits", getpid());
	CHECK(fd >= 0 && inotify_add_watch(fd, name, IN_ACCESS) >= 0);
	CHECK(!buildid_of_file(name, text));
	CHECK(!unlink(path) && !symlink(name, path));
	CHECK(!buildid_of_file(path, text));
	CHECK(read(fd, event, sizeof(event)) < 0);
	close(fd);
}

int main(void)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	test_class_32();
	test_class_64();
	test_no_file_of_the_kernel();
	unlink(path);
	puts("ok");
	return 0;
}
