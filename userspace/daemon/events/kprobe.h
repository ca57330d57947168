/* SPDX-License-Identifier: GPL-2.0 */
/* kprobe.h - creates, finds and removes dynamic probes on functions of the kernel */
#ifndef KTRACED_EVENTS_KPROBE_H
#define KTRACED_EVENTS_KPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define KPROBE_TEXT_MAX 1024
#define KPROBE_REASON_MAX (6 * KPROBE_TEXT_MAX)

/**
 * struct kprobes - the probes of one recording
 * @group:	their group in tracefs, empty = no probe yet
 * @nr:		number of probes created
 */
struct kprobes {
	char group[48];
	unsigned int nr;
};

/** kprobe_is - true if an item of -e is a probe: "kprobe:..." or "kretprobe:..." */
bool kprobe_is(const char *item);

/** kprobe_is_pattern - true if such an item means several functions: "kprobe:vfs_* ..." */
bool kprobe_is_pattern(const char *item);

/**
 * kprobe_pattern - the pattern of such an item, to be freed; NULL if out of memory
 *
 * The item continues with "+OFFSET", "%return" and arguments, which apply to each function.
 */
char *kprobe_pattern(const char *item);

/** kprobe_expand - the item for one of the functions, to be freed; NULL if out of memory */
char *kprobe_expand(const char *item, const char *function);

/** kprobe_matches - true if an item, which may be a pattern, means the probe that @other means */
bool kprobe_matches(const char *item, const char *other);

/** kprobe_is_group - true if the events in "GROUP/..." below events/ are probes of a recording */
bool kprobe_is_group(const char *path);

/**
 * kprobe_name - the name of a probe's events: "kprobe:FUNCTION"
 * @item:	item of -e
 *
 * Return: the name, to be freed; NULL if out of memory.
 */
char *kprobe_name(const char *item);

/**
 * kprobe_make - make the kernel create a probe
 * @k:		the probes of the recording
 * @item:	item of -e
 * @path:	out: "GROUP/EVENT" below events/ in tracefs
 * @path_size:	its bytes
 * @reason:	out, on failure: lines for the user, KPROBE_REASON_MAX bytes; NULL = none
 *
 * Return: 0 or -errno.
 */
int kprobe_make(struct kprobes *k, const char *item, char *path, size_t path_size, char *reason);

/** kprobe_missed - number of returns that a probe missed because too many were pending at a time */
__u64 kprobe_missed(const char *path);

/** kprobe_remove_all - remove all probes that were created; the session must have ended */
void kprobe_remove_all(struct kprobes *k);

/** kprobe_sweep - remove the probes of recordings that died */
void kprobe_sweep(void);

#endif
