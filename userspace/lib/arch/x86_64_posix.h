/* SPDX-License-Identifier: LGPL-2.1 */
/* x86_64_posix.h - a part of posix/stream/emit.c: an event in a restartable sequence, x86-64 */
#ifndef KTRACE_ARCH_X86_64_POSIX_H
#define KTRACE_ARCH_X86_64_POSIX_H

/*
 * Stores head and data after the record's header, unless the entry now belongs to another sink.
 * Data of 8 to 16 bytes are two words, which may overlap; otherwise rax keeps the ring's head
 * meanwhile.
 */
#define PUT_EVENT \
	"cmpq %%fs:%c[owner](%[tls]), %[sink]\n\t" \
	"jne %l[failed]\n\t" \
	KTRACE_RSEQ_MOVE("address", "16") \
	"movq %%fs:0, %%rax\n\t"		/* pthread_self() */ \
	"movq %%rax, 24(%%rsi)\n\t" \
	"movl %[pid], %%eax\n\t" \
	"movl %%eax, 32(%%rsi)\n\t" \
	"movl %k[size], 36(%%rsi)\n\t" \
	"leaq -8(%[size]), %%rax\n\t" \
	"cmpq $8, %%rax\n\t" \
	"jbe 6f\n\t" \
	"movq %%rcx, %%rax\n\t" \
	"leaq 40(%%rsi), %%rdi\n\t" \
	"movq %[from], %%rsi\n\t" \
	"movq %[size], %%rcx\n\t" \
	KTRACE_RSEQ_COPY("%%rdx", "%%edx", "%%dl") \
	"movq %%fs:%c[ring](%[tls]), %%rdi\n\t" \
	"movq %%rax, %%rcx\n\t" \
	"jmp 7f\n" \
	"4:\n\t" \
	"rdtscp\n\t"				/* of ORDER_CLOCK */ \
	"jmp 5b\n" \
	"6:\n\t" \
	"movq (%[from]), %%rax\n\t" \
	"movq -8(%[from],%[size]), %%rdx\n\t" \
	"movq %%rax, 40(%%rsi)\n\t" \
	"movq %%rdx, 32(%%rsi,%[size])\n" \
	"7:\n\t"

/*
 * ORD(order_clock:A) pairs ORD(posix_run:A): rdtscp waits for earlier loads, so a thread that has
 * learned of START, or of an event, gets a higher stamp. An lfence would also delay later
 * instructions. The stream's sole thread cannot have learned anything from others.
 */
#define ORDER_CLOCK \
	"movq %c[sole](%[sink]), %%rcx\n\t" \
	"movq %%fs:0, %%rax\n\t" \
	"cmpq %%rax, (%%rcx)\n\t" \
	"jne 4f\n\t" \
	"rdtsc\n" \
	"5:\n\t"

/* Writes a record in one restartable sequence, like ktrace_rseq_put_pieces(). */
static KTRACE_INLINE bool put_quick(const struct posix_sink *sink, const struct emission *em)
{
	const uint32_t len = (__u32)(sizeof(struct ktrace_posix_event) + em->size);
	const uint32_t id_len = (em->id + POSIX_ID_BASE) | len << 16;
	const uint32_t total = ktrace_rseq_total(len);

	KTRACE_RSEQ_RECORD(ORDER_CLOCK, sink->entry, id_len, total, PUT_EVENT, "r8",
			   [address] "rm" (em->address), [sink] "r" (sink),
			   [sole] "i" (offsetof(struct posix_sink, sole)),
			   [owner] "i" (offsetof(struct posix_entry, sink)),
			   [pid] "m" (ktrace_posix_member.owner.pid),
			   [from] "r" (em->data), [size] "r" (em->size));
	return true;
failed:
	forget_sequence(&ktrace_posix_entries[sink->stream % POSIX_ENTRY_NR]);
	return false;
}

#endif
