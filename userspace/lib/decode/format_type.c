// SPDX-License-Identifier: LGPL-2.1
/*
 * format_type.c - C types, as the kernel's descriptions of events name them
 *
 * A description gives the bytes of a field, but of a dynamic array only the position: the size of
 * its elements follows only from the name of their type. Values of unknown types are shown as
 * bytes. Sizes are those of 64-bit kernels.
 */
#include "format_type.h"
#include "name_char.h"

#include <string.h>

/* struct typedefs - names of types with @size bytes, with a blank around each */
static const struct typedefs {
	__u32 size;
	const char *names;
} typedefs[] = {
	{ 1, " u8 s8 __u8 __s8 uint8_t int8_t u_int8_t bool _Bool u_char unchar uchar " },
	{ 2, " u16 s16 __u16 __s16 uint16_t int16_t u_int16_t __le16 __be16 ushort u_short umode_t "
	     "__sum16 sa_family_t __kernel_sa_family_t " },
	{ 4, " u32 s32 __u32 __s32 uint32_t int32_t u_int32_t __le32 __be32 uint u_int pid_t "
	     "uid_t gid_t kuid_t kgid_t kprojid_t projid_t dev_t mode_t fmode_t gfp_t blk_opf_t "
	     "blk_status_t clockid_t timer_t key_t key_serial_t tid_t errseq_t vm_fault_t "
	     "slab_flags_t __wsum __poll_t float atomic_t refcount_t ext4_lblk_t xfs_agnumber_t "
	     "xfs_agblock_t " },
	{ 8, " u64 s64 __u64 __s64 uint64_t int64_t u_int64_t __le64 __be64 ulong u_long size_t "
	     "ssize_t loff_t off_t sector_t blkcnt_t ino_t ktime_t time64_t timeu64_t dma_addr_t "
	     "phys_addr_t resource_size_t uintptr_t intptr_t ptrdiff_t pgoff_t gpa_t gva_t gfn_t "
	     "hpa_t hva_t hfn_t cycles_t clock_t fl_owner_t aio_context_t ext4_fsblk_t double "
	     "xfs_ino_t xfs_fsblock_t xfs_daddr_t xfs_off_t atomic64_t atomic_long_t cpumask_t "
	     "nodemask_t cpumask_var_t " },
};

static __u32 size_of_typedef(const char *word, size_t len)
{
	char name[64];
	size_t i;

	if (len > sizeof(name) - 3)
		return 0;
	name[0] = ' ';
	memcpy(name + 1, word, len);
	name[len + 1] = ' ';
	name[len + 2] = '\0';
	for (i = 0; i < sizeof(typedefs) / sizeof(typedefs[0]); i++)
		if (strstr(typedefs[i].names, name))
			return typedefs[i].size;
	return 0;
}

enum word {
	WORD_OTHER, WORD_QUALIFIER, WORD_SIGN, WORD_CHAR, WORD_SHORT, WORD_INT, WORD_LONG,
	WORD_INT128, WORD_ENUM, WORD_STRUCT,
};

static const struct {
	const char *name;
	enum word word;
} words[] = {
	{ "const", WORD_QUALIFIER }, { "volatile", WORD_QUALIFIER }, { "__user", WORD_QUALIFIER },
	{ "__rcu", WORD_QUALIFIER }, { "__iomem", WORD_QUALIFIER }, { "__percpu", WORD_QUALIFIER },
	{ "signed", WORD_SIGN }, { "unsigned", WORD_SIGN }, { "char", WORD_CHAR },
	{ "short", WORD_SHORT }, { "int", WORD_INT }, { "long", WORD_LONG },
	{ "__int128", WORD_INT128 }, { "enum", WORD_ENUM }, { "struct", WORD_STRUCT },
	{ "union", WORD_STRUCT },
};

static enum word word_of(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, word, len))
			return words[i].word;
	return WORD_OTHER;
}

/* struct c_words - the words in the name of a type */
struct c_words {
	__u32 seen;
	const char *other;
	size_t other_len;
};

static bool has(const struct c_words *w, enum word word)
{
	return w->seen & 1u << word;
}

static struct c_words find_words(const char *text, size_t len)
{
	const char *end = text + len, *word;
	struct c_words found = { 0 };
	enum word kind;

	while (text < end) {
		word = text;
		while (text < end && is_name_char(*text))
			text++;
		kind = word_of(word, (size_t)(text - word));
		if (text == word) {
			text++;
			continue;
		}
		found.seen |= 1u << kind;
		if (kind == WORD_OTHER) {
			found.other = word;
			found.other_len = (size_t)(text - word);
		}
	}
	return found;
}

/*
 * Returns the size of "unsigned long", "char", "enum pm_qos_req_action": types made of C's own
 * words
 */
static __u32 size_of_words(const struct c_words *w)
{
	if (has(w, WORD_ENUM))
		return 4;
	if (has(w, WORD_INT128))
		return 16;
	if (has(w, WORD_CHAR))
		return 1;
	if (has(w, WORD_SHORT))
		return 2;
	if (has(w, WORD_LONG))
		return 8;
	return has(w, WORD_INT) || has(w, WORD_SIGN) ? 4 : 0;
}

struct c_type ktrace_c_type(const char *text, size_t len)
{
	const struct c_words w = find_words(text, len);
	struct c_type type = { .is_pointer = memchr(text, '*', len) };

	if (type.is_pointer) {
		type.size = 8;
	} else if (has(&w, WORD_STRUCT)) {
		type.is_struct = true;
	} else if (w.other && !has(&w, WORD_ENUM)) {
		type.size = size_of_typedef(w.other, w.other_len);
		type.is_mask = w.other_len == 9 && !memcmp(w.other, "cpumask_t", 9);
	} else {
		type.size = size_of_words(&w);
		type.is_char = type.size == 1 && !has(&w, WORD_SIGN);
	}
	return type;
}

bool ktrace_format_is_hex(const char *print, const char *name)
{
	size_t n = strlen(name);
	const char *at = print;

	while (at && (at = strstr(at, name))) {
		bool begins = at == print || !is_name_char(at[-1]);

		at += n;
		if (begins && (!strncmp(at, "=0x%", 4) || !strncmp(at, ": 0x%", 5) ||
			       !strncmp(at, "=%p", 3)))
			return true;
	}
	return false;
}

/* Searches for __get_bitmask(name), __get_rel_cpumask(name) and so on */
bool ktrace_format_is_mask(const char *print, const char *name)
{
	static const char *const before[] = {
		"__get_bitmask(", "__get_cpumask(", "__get_rel_bitmask(", "__get_rel_cpumask(",
	};
	size_t n = strlen(name), i, head;
	const char *at;

	for (i = 0; print && i < sizeof(before) / sizeof(before[0]); i++) {
		head = strlen(before[i]);
		for (at = print; (at = strstr(at, before[i])); at += head)
			if (!strncmp(at + head, name, n) && at[head + n] == ')')
				return true;
	}
	return false;
}
