/* SPDX-License-Identifier: GPL-2.0 */
/*
 * term.h - the terminal: keys, text in colours, and restoring it at the end
 *
 * Messages on standard error are kept meanwhile, and printed afterwards.
 */
#ifndef VIEWER_TUI_TERM_H
#define VIEWER_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

/* A character has TERM_WIDE added if it could be mistaken for a KEY_ of curses. */
enum { TERM_NONE = -1, TERM_ESCAPE = 27, TERM_WIDE = 1 << 24 };

/* How text looks; values from TERM_CLASS on are the classes of flow_class.h. */
enum term_look { TERM_PLAIN, TERM_TITLE, TERM_SELECTED, TERM_ALERT, TERM_DIM, TERM_CLASS };

/* Prepares the terminal. Return: 0, or -errno after a message. */
int term_begin(void);
/* Restores the terminal. May be called twice. */
void term_end(void);
/* Returns the signal that asks the program to end, 0 = none yet. */
int term_signal(void);
/* Returns the next key, a character or a KEY_ of curses; waits up to @ms, < 0 = for ever. */
int term_key(int ms);
/* True if the work is to stop: by Escape or a signal. Keeps other keys for term_key(). */
bool term_is_escaped(void);

int term_lines(void);
int term_columns(void);
void term_clear(void);
void term_show(void);
/* Shows the cursor; hides it if @x < 0. */
void term_cursor(int y, int x);
/*
 * Draws text in @width columns from column @x on, padded with blanks. The first @left columns of
 * the text are left out. Characters that cannot be shown become '?'.
 */
void term_text(int y, int x, int width, enum term_look look, const char *text, int left);
/* Draws one ASCII letter of a class; @is_marked: it is in the column of the current time. */
void term_letter(int y, int x, int class, char letter, bool is_marked);
/* Returns the messages on standard error so far, NUL-terminated, to be freed; NULL: none. */
char *term_said(void);

#endif
