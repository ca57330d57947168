/* SPDX-License-Identifier: LGPL-2.1 */
/* arm64_posix.h - a part of posix/stream/emit.c: an event in a restartable sequence, arm64 */
#ifndef KTRACE_ARCH_ARM64_POSIX_H
#define KTRACE_ARCH_ARM64_POSIX_H

/*
 * Stores head and data after the record's header, unless the entry now belongs to another sink.
 * Data of 8 to 16 bytes are two words, which may overlap. Has ORD(order_clock:A) of ORDER_CLOCK.
 */
#define PUT_EVENT \
	"ldr x14, [%[thread], %c[owner]]\n\t" \
	"cmp x14, %[sink]\n\t" \
	"b.ne %l[failed]\n\t" \
	"stp %[address], %[self], [x10, 16]\n\t" \
	"stp %w[pid], %w[size], [x10, 32]\n\t" \
	"sub x14, %[size], 8\n\t" \
	"cmp x14, 8\n\t" \
	"b.ls 6f\n\t" \
	"add x10, x10, 40\n\t" \
	"mov x13, %[from]\n\t" \
	"mov x14, %[size]\n\t" \
	KTRACE_RSEQ_COPY \
	"b 7f\n" \
	"4:\n\t" \
	"isb\n\t" \
	"mrs x12, cntvct_el0\n\t" \
	"b 5b\n" \
	"6:\n\t" \
	"ldr x16, [%[from]]\n\t" \
	"ldr x17, [%[from], x14]\n\t" \
	"str x16, [x10, 40]\n\t" \
	"add x10, x10, x14\n\t" \
	"str x17, [x10, 40]\n" \
	"7:\n\t"

/*
 * As ORD(order_clock:A): the counter is read after a branch and an isb. The branch depends on a
 * load that follows those by which the thread has learned of START, or of an event, if one of them
 * is an acquire. The stream's sole thread cannot have learned anything from others.
 */
#define ORDER_CLOCK \
	"ldr x16, [%[sink], %c[sole]]\n\t" \
	"ldr x16, [x16]\n\t" \
	"cmp x16, %[self]\n\t" \
	"b.ne 4f\n\t" \
	"mrs x12, cntvct_el0\n" \
	"5:\n\t"

/* Writes a record in one restartable sequence, like ktrace_rseq_put_pieces(). */
static KTRACE_INLINE bool put_quick(const struct posix_sink *sink, const struct emission *em)
{
	struct posix_entry *e = (struct posix_entry *)(arch_thread_pointer() + sink->entry);
	const __u64 self = (__u64)(uintptr_t)arch_thread_pointer() + sink->self;
	const uint32_t len = (__u32)(sizeof(struct ktrace_posix_event) + em->size);
	const uint32_t id_len = (em->id + POSIX_ID_BASE) | len << 16;
	const uint32_t total = ktrace_rseq_total(len);

	KTRACE_RSEQ_RECORD(ORDER_CLOCK, e, id_len, total, PUT_EVENT, "x17",
			   [address] "r" (em->address), [sink] "r" (sink), [self] "r" (self),
			   [sole] "i" (offsetof(struct posix_sink, sole)),
			   [owner] "i" (offsetof(struct posix_entry, sink)),
			   [pid] "r" ((__u32)ktrace_posix_member.owner.pid),
			   [from] "r" (em->data), [size] "r" (em->size));
	return true;
failed:
	forget_sequence(&ktrace_posix_entries[sink->stream % POSIX_ENTRY_NR]);
	return false;
}

#endif
