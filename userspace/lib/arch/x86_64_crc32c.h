/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * x86_64_crc32c.h - a part of tracefile/crc32c.c: CRC-32C by instructions of x86-64
 *
 * The crc32 instruction takes one cycle but has a latency of three, so three pieces of LANE bytes
 * are computed side by side and combined: the checksum of a piece followed by n bytes is its own
 * multiplied by x^(8n) mod P. The multiplication is carry-less by x^(8n - 33) mod P, and one more
 * crc32 of the 64-bit product reduces it (33 = 32 of that crc32 and 1 of the reflected product).
 *
 * With 512-bit vectors, WIDE bytes at a time are folded into the WIDE bytes after them: each half
 * of 128 bits is multiplied by its power of x and added to the bytes there. The remainder at the
 * end has the same checksum as all the bytes folded into it.
 */
#ifndef KTRACE_ARCH_X86_64_CRC32C_H
#define KTRACE_ARCH_X86_64_CRC32C_H

#include <immintrin.h>

#define LANE 1024u
#define X_LANE_1 0x170076fau	/* x^(8 * LANE - 33) mod P, reflected */
#define X_LANE_2 0xa51b6135u	/* x^(16 * LANE - 33) mod P, reflected */

static inline __u64 word_at(const unsigned char *p)
{
	__u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

__attribute__((target("sse4.2,pclmul")))
static __u64 multiply(__u64 crc, __u32 factor)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
					       _mm_cvtsi32_si128((int)factor), 0);

	return (__u64)_mm_cvtsi128_si64(product);
}

__attribute__((target("sse4.2,pclmul")))
static __u32 crc_three_lanes(__u32 crc, const unsigned char *p)
{
	__u64 a = crc, b = 0, c = 0;
	__u32 i;

	for (i = 0; i < LANE; i += 8) {
		a = _mm_crc32_u64(a, word_at(p + i));
		b = _mm_crc32_u64(b, word_at(p + LANE + i));
		c = _mm_crc32_u64(c, word_at(p + 2 * LANE + i));
	}
	return (__u32)(c ^ _mm_crc32_u64(0, multiply(a, X_LANE_2) ^ multiply(b, X_LANE_1)));
}

__attribute__((target("sse4.2,pclmul")))
static __u32 crc_instruction(__u32 crc, const unsigned char *p, size_t size)
{
	for (; size >= 3 * LANE; size -= 3 * LANE, p += 3 * LANE)
		crc = crc_three_lanes(crc, p);
	for (; size >= 8; size -= 8, p += 8)
		crc = (__u32)_mm_crc32_u64(crc, word_at(p));
	while (size--)
		crc = _mm_crc32_u8(crc, *p++);
	return crc;
}

#define WIDE 256u
#define X_WIDE_LOW 0xdcb17aa4	/* x^(8 * WIDE + 32) mod P, reflected */
#define X_WIDE_HIGH 0xb9e02b86	/* x^(8 * WIDE - 32) mod P, reflected */

__attribute__((target("avx512f,vpclmulqdq")))
static inline __m512i move_on(__m512i sum, const void *to)
{
	const __m512i x = _mm512_set4_epi64(X_WIDE_HIGH, X_WIDE_LOW, X_WIDE_HIGH, X_WIDE_LOW);

	return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(sum, x, 0x00),
					 _mm512_clmulepi64_epi128(sum, x, 0x11),
					 _mm512_loadu_si512(to), 0x96);	/* exclusive or of all */
}

/* Computes the checksum of at least WIDE bytes. */
__attribute__((target("sse4.2,pclmul,avx512f,vpclmulqdq")))
static __u32 crc_wide(__u32 crc, const unsigned char *p, size_t size)
{
	unsigned char left[WIDE];
	__m512i sum[WIDE / 64];
	__u32 i;

	for (i = 0; i < WIDE / 64; i++)
		sum[i] = _mm512_loadu_si512(p + 64 * i);
	sum[0] = _mm512_xor_si512(sum[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
	for (p += WIDE, size -= WIDE; size >= WIDE; p += WIDE, size -= WIDE)
		for (i = 0; i < WIDE / 64; i++)
			sum[i] = move_on(sum[i], p + 64 * i);
	for (i = 0; i < WIDE / 64; i++)
		_mm512_storeu_si512(left + 64 * i, sum[i]);
	/* Without this all later SSE code would be slow. */
	_mm256_zeroupper();
	return crc_instruction(crc_instruction(0, left, WIDE), p, size);
}

static bool has_wide(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
}

static inline __u32 arch_crc32c(__u32 crc, const unsigned char *p, size_t size)
{
	if (size >= WIDE && has_wide())
		return crc_wide(crc, p, size);
	if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
		return crc_instruction(crc, p, size);
	return crc_table(crc, p, size);
}

#endif
