/* SPDX-License-Identifier: GPL-2.0 */
/* words.h - the words of machine_memory, by number, and how an access is shown */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "machine.h"

#define RING_WORDS (sizeof(struct ktrace_ring) / 8)
#define TAIL_WORD RING_WORDS
#define HEAD_WORD 0
#define DATA_WORD (RING_WORDS + sizeof(struct ktrace_tail) / 8)

void trace_access(const char *what, unsigned int w, __u64 value);

#endif
