/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * fleet_words.h - what ktrace fleet may ask of a recording, and the labels of recordings
 *
 * The daemon checks its options by it, ktrace ship and ktrace fleet what comes from the network.
 */
#ifndef KTRACE_BASE_FLEET_WORDS_H
#define KTRACE_BASE_FLEET_WORDS_H

#include <ctype.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What can be done with a recording; bits of a mask in this order */
static const char *const fleet_actions[] = {
	"pause", "resume", "enable", "disable", "rotate", "mark", "stop",
};

#define FLEET_ACTION_NR (sizeof(fleet_actions) / sizeof(fleet_actions[0]))
/* For messages */
#define FLEET_ACTIONS "pause, resume, enable, disable, rotate, mark, stop"

/* Labels of a recording, and longest KEY and VALUE */
#define FLEET_LABEL_NR 16
#define FLEET_LABEL_PART 64

/* Returns the index of the first @size bytes of @word, FLEET_ACTION_NR = it is none. */
static inline size_t fleet_action_find(const char *word, size_t size)
{
	size_t i = 0;

	while (i < FLEET_ACTION_NR && (strncmp(word, fleet_actions[i], size) ||
				       fleet_actions[i][size]))
		i++;
	return i;
}

/* True for actions that have a value: a list of events, the text of a mark. */
static inline bool fleet_action_needs(size_t action)
{
	const char *word = fleet_actions[action];

	return !strcmp(word, "enable") || !strcmp(word, "disable") || !strcmp(word, "mark");
}

/* Parses "rotate,mark", "all" or "none". Returns false for anything else. */
static inline bool fleet_allow_parse(const char *list, __u32 *mask)
{
	*mask = 0;
	if (!strcmp(list, "none"))
		return true;
	if (!strcmp(list, "all")) {
		*mask = (1u << FLEET_ACTION_NR) - 1;
		return true;
	}
	for (;; list++) {
		const size_t size = strcspn(list, ","), i = fleet_action_find(list, size);

		if (!size || i == FLEET_ACTION_NR)
			return false;
		*mask |= 1u << i;
		list += size;
		if (!*list)
			return true;
	}
}

/* Returns the length of a KEY or VALUE at @text, which no separator and no terminal mistakes. */
static inline size_t fleet_label_part(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || (text[n] && strchr("-_./:@+", text[n])))
		n++;
	return n <= FLEET_LABEL_PART ? n : 0;
}

/* True for KEY=VALUE. */
static inline bool fleet_is_label(const char *text)
{
	const size_t key = fleet_label_part(text);
	const size_t value = key && text[key] == '=' ? fleet_label_part(text + key + 1) : 0;

	return value && !text[key + 1 + value];
}

#endif
