/* SPDX-License-Identifier: GPL-2.0 */
/* kprobe.h - dynamic probes on functions of the kernel: made, found again, removed */
#ifndef KTRACED_EVENTS_KPROBE_H
#define KTRACED_EVENTS_KPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define KPROBE_TEXT_MAX 1024
#define KPROBE_REASON_MAX (6 * KPROBE_TEXT_MAX)

/**
 * struct kprobes - the probes of one recording
 * @group:	what the kernel calls them all, empty = there was none yet
 * @nr:		how many have been made
 */
struct kprobes {
	char group[48];
	unsigned int nr;
};

/** kprobe_is - whether an item of -e is a probe: "kprobe:..." or "kretprobe:..." */
bool kprobe_is(const char *item);

/** kprobe_is_pattern - whether such an item means several functions: "kprobe:vfs_* ..." */
bool kprobe_is_pattern(const char *item);

/**
 * kprobe_pattern - the pattern of such an item, to be freed; NULL without memory
 *
 * Behind it are "+OFFSET", "%return" and arguments, which are for each of the functions.
 */
char *kprobe_pattern(const char *item);

/** kprobe_expand - the item for one of the functions, to be freed; NULL without memory */
char *kprobe_expand(const char *item, const char *function);

/** kprobe_matches - does an item, which may be a pattern, mean the probe that @other means? */
bool kprobe_matches(const char *item, const char *other);

/** kprobe_is_group - are the events in "GROUP/..." below events/ probes of a recording? */
bool kprobe_is_group(const char *path);

/**
 * kprobe_name - what its events are called: "kprobe:FUNCTION"
 * @item:	item of -e
 *
 * Return: the name, to be freed; NULL without memory.
 */
char *kprobe_name(const char *item);

/**
 * kprobe_make - have the kernel make a probe
 * @k:		the probes of the recording
 * @item:	item of -e
 * @path:	out: "GROUP/EVENT" below events/ in tracefs
 * @path_size:	its bytes
 * @reason:	out, on failure: lines for people, KPROBE_REASON_MAX bytes; NULL = not asked for
 *
 * Return: 0 or -errno.
 */
int kprobe_make(struct kprobes *k, const char *item, char *path, size_t path_size, char *reason);

/** kprobe_missed - returns that a probe has missed as there were too many at a time */
__u64 kprobe_missed(const char *path);

/** kprobe_remove_all - remove what was made; the session must have ended */
void kprobe_remove_all(struct kprobes *k);

/** kprobe_sweep - remove what recordings have left that died */
void kprobe_sweep(void);

#endif
