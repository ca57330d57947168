// SPDX-License-Identifier: GPL-2.0
/*
 * buildid.c - build ids from untrusted ELF files
 *
 * A traced process chooses the files it maps, so sizes and offsets are checked, little is read,
 * and only regular files with a size are opened: opening a device may have side effects, and so may
 * reading a file that the kernel generates, such as /proc/kmsg, which has size 0. A name may denote
 * another file a moment later, so the file that was checked is the one that is opened.
 */
#include "buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/build_id.h"

#define HEADERS_MAX 64u
#define NOTES_MAX 4096u

void buildid_print(const unsigned char *id, size_t size, char *text)
{
	*text = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

static bool find_in_notes(const void *notes, size_t size, char *text)
{
	const unsigned char *id = build_id_find(notes, size, &size);

	if (!id || 2 * size >= BUILDID_TEXT)
		return false;
	buildid_print(id, size, text);
	return true;
}

static int open_regular(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char self[32];
	struct stat st;

	if (place < 0)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	if (!fstat(place, &st) && S_ISREG(st.st_mode) && st.st_size)
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	close(place);
	return fd;
}

bool buildid_of_notes_file(const char *path, char *text)
{
	int fd = open_regular(path);
	char notes[NOTES_MAX];
	ssize_t size = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	return size > 0 && find_in_notes(notes, (size_t)size, text);
}

static bool read_at(int fd, void *to, size_t size, uint64_t off)
{
	return pread(fd, to, size, (off_t)off) == (ssize_t)size;
}

/* ELF notes have the same layout in both classes of files. */
static bool find_at(int fd, uint64_t off, uint64_t size, char *text)
{
	char notes[NOTES_MAX];

	return size <= sizeof(notes) && read_at(fd, notes, size, off) &&
	       find_in_notes(notes, size, text);
}

static bool find_in_64(int fd, char *text)
{
	Elf64_Ehdr h;
	Elf64_Phdr ph;

	if (!read_at(fd, &h, sizeof(h), 0) || h.e_phentsize != sizeof(ph))
		return false;
	for (unsigned int i = 0; i < h.e_phnum && i < HEADERS_MAX; i++) {
		if (!read_at(fd, &ph, sizeof(ph), h.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && find_at(fd, ph.p_offset, ph.p_filesz, text))
			return true;
	}
	return false;
}

static bool find_in_32(int fd, char *text)
{
	Elf32_Ehdr h;
	Elf32_Phdr ph;

	if (!read_at(fd, &h, sizeof(h), 0) || h.e_phentsize != sizeof(ph))
		return false;
	for (unsigned int i = 0; i < h.e_phnum && i < HEADERS_MAX; i++) {
		if (!read_at(fd, &ph, sizeof(ph), h.e_phoff + (uint64_t)i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && find_at(fd, ph.p_offset, ph.p_filesz, text))
			return true;
	}
	return false;
}

static bool find_in(int fd, char *text)
{
	unsigned char ident[EI_NIDENT];

	if (!read_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG))
		return false;
	switch (ident[EI_CLASS]) {
	case ELFCLASS64: return find_in_64(fd, text);
	case ELFCLASS32: return find_in_32(fd, text);
	default: return false;
	}
}

/*
 * Accepts another device on overlayfs and btrfs: kernels report the inode of the file system below
 * an overlay, and for btrfs another device than stat(2) does.
 */
static bool is_file(int fd, dev_t device, ino_t inode)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == inode &&
	       (st.st_dev == device ||
		(!fstatfs(fd, &fs) && (fs.f_type == OVERLAYFS_SUPER_MAGIC ||
				       fs.f_type == BTRFS_SUPER_MAGIC)));
}

bool buildid_of_inode(const char *path, dev_t device, ino_t inode, char *text)
{
	int fd = open_regular(path);
	bool is_found = fd >= 0 && (!inode || is_file(fd, device, inode)) && find_in(fd, text);

	if (fd >= 0)
		close(fd);
	return is_found;
}

bool buildid_of_file(const char *path, char *text)
{
	return buildid_of_inode(path, 0, 0, text);
}
