/* SPDX-License-Identifier: GPL-2.0 */
/*
 * term.h - the terminal: keys, text in colours, and that it is as before at the end
 *
 * What would be said on standard error is kept meanwhile, and said afterwards.
 */
#ifndef VIEWER_TUI_TERM_H
#define VIEWER_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>

/* A character has TERM_WIDE added if it could be taken for a KEY_ of curses. */
enum { TERM_NONE = -1, TERM_ESCAPE = 27, TERM_WIDE = 1 << 24 };

/* How text looks; those from TERM_CLASS on are the classes of flow_class.h. */
enum term_look { TERM_PLAIN, TERM_TITLE, TERM_SELECTED, TERM_ALERT, TERM_DIM, TERM_CLASS };

/* Return: 0, or -errno having said why. */
int term_begin(void);
/* May be called twice. */
void term_end(void);
/* The signal that wants the program to end, 0 = none yet */
int term_signal(void);
/* The next key, a character or a KEY_ of curses; waits for so long, < 0 = for ever. */
int term_key(int ms);
/* Is a key there that wants what is being done to stop? Others are kept for term_key(). */
bool term_is_escaped(void);

int term_lines(void);
int term_columns(void);
void term_clear(void);
void term_show(void);
/* Where the cursor is shown; @x < 0: not at all */
void term_cursor(int y, int x);
/*
 * Text from column @x on, up to @width columns, the rest of them blank; its first @left columns are
 * left out. What cannot be shown becomes '?'.
 */
void term_text(int y, int x, int width, enum term_look look, const char *text, int left);
/* One letter of ASCII of a class; @is_marked: the column of the current time */
void term_letter(int y, int x, int class, char letter, bool is_marked);
/* What was to be said on standard error so far, NUL-terminated, to be freed; NULL: nothing */
char *term_said(void);

#endif
