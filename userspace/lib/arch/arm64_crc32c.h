/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * arm64_crc32c.h - a part of tracefile/crc32c.c: CRC-32C by instructions of arm64
 *
 * All processors from ARMv8.1 on have them. Nothing wider is used: checksums are of blocks that are
 * compressed, or written to a disk, at a tenth of this speed.
 */
#ifndef KTRACE_ARCH_ARM64_CRC32C_H
#define KTRACE_ARCH_ARM64_CRC32C_H

#include <sys/auxv.h>

#define HAS_CRC32 (1ul << 7)	/* HWCAP_CRC32 */

static __u32 crc_instruction(__u32 crc, const unsigned char *p, size_t size)
{
	__u64 word;

	for (; size >= sizeof(word); size -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r" (crc) : "r" (word));
	}
	while (size--)
		__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r" (crc) : "r" (*p++));
	return crc;
}

static inline __u32 arch_crc32c(__u32 crc, const unsigned char *p, size_t size)
{
	if (getauxval(AT_HWCAP) & HAS_CRC32)
		return crc_instruction(crc, p, size);
	return crc_table(crc, p, size);
}

#endif
