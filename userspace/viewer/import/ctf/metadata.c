// SPDX-License-Identifier: GPL-2.0
/*
 * metadata.c - checks the packets of a file "metadata" of CTF 1.8
 *
 * Plain text has no packets. Where there are packets, as from LTTng, the library trusts their
 * sizes: it reads past the end of the file, and rereads a packet of size 0 forever. So the sizes
 * are checked against the file first.
 */
#include "metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/viewer.h"

#define MAGIC 0x75d11d57u

/* struct header - header of a packet; sizes are in bits, all in the byte order of magic */
struct header {
	__u32 magic;
	unsigned char uuid[16];
	__u32 checksum;
	__u32 content_size;
	__u32 packet_size;
	unsigned char compression;
	unsigned char encryption;
	unsigned char checksum_kind;
	unsigned char major;
	unsigned char minor;
} __attribute__((packed));

/*
 * Returns what is wrong with a packet, NULL = nothing; @left: bytes of the file from its header on
 */
static const char *fault_of(const struct header *h, bool is_swapped, __u64 left, __u64 *size)
{
	const __u32 content = is_swapped ? __builtin_bswap32(h->content_size) : h->content_size;
	const __u32 packet = is_swapped ? __builtin_bswap32(h->packet_size) : h->packet_size;

	*size = packet / 8;
	if (left < sizeof(*h))
		return "ends within the header of a packet";
	if ((is_swapped ? __builtin_bswap32(h->magic) : h->magic) != MAGIC)
		return "no packet of metadata begins here";
	if (content / 8 < sizeof(*h) || content > packet || packet % 8)
		return "this packet of metadata has no possible size";
	return *size > left ? "ends within a packet of metadata" : NULL;
}

static bool are_packets(FILE *file, const char *path, __u64 file_size)
{
	struct header h = { 0 };
	const char *fault = NULL;
	bool is_swapped = false;
	__u64 at, size;

	for (at = 0; !fault && at < file_size; at += fault ? 0 : size) {
		if (fseeko(file, (off_t)at, SEEK_SET) ||
		    (!fread(&h, sizeof(h), 1, file) && ferror(file))) {
			complain_about(path, "%s", strerror(errno));
			return false;
		}
		if (!at)
			is_swapped = h.magic == __builtin_bswap32(MAGIC);
		if (!at && !is_swapped && h.magic != MAGIC)
			return true;
		fault = fault_of(&h, is_swapped, file_size - at, &size);
	}
	if (fault)
		complain_about(path, "offset %" PRIu64 ": damaged: %s", (uint64_t)at, fault);
	return !fault;
}

bool metadata_is_whole(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	bool is_whole;

	if (!file || fstat(fileno(file), &st)) {
		complain_about(path, "%s", strerror(errno));
		if (file)
			fclose(file);
		return false;
	}
	is_whole = are_packets(file, path, (__u64)st.st_size);
	fclose(file);
	return is_whole;
}
