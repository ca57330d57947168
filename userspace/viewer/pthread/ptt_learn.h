/* SPDX-License-Identifier: GPL-2.0 */
/* ptt_learn.h - tracks barriers and mutexes for PTT's events */
#ifndef VIEWER_PTHREAD_PTT_LEARN_H
#define VIEWER_PTHREAD_PTT_LEARN_H

#include "ptt.h"

/* Learn from the current event; set what is known of it: @is_known, @left, @is_last, @count. */
void ptt_learn_barrier_init(struct ptt *p);
void ptt_learn_barrier_wait(struct ptt *p);
void ptt_learn_mutex(struct ptt *p);
void ptt_learn_cond_wait(struct ptt *p);
/* Forgets everything; also initialises the tables. */
void ptt_forget(struct ptt *p);

#endif
