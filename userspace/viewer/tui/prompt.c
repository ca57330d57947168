// SPDX-License-Identifier: GPL-2.0
/* prompt.c - asks for a line of text on the last line of the screen */
#include "tui.h"

#include "term.h"

#include <curses.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* Removes the last character of UTF-8. */
static void erase_last(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static void append(char *text, size_t size, int key)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };
	size_t n = wcrtomb(bytes, (wchar_t)key, &state), len = strlen(text);

	if (n == (size_t)-1 || len + n >= size)
		return;
	memcpy(text + len, bytes, n);
	text[len + n] = '\0';
}

static void draw(struct tui *t, const char *label, const char *text, const char *wrong)
{
	const int y = term_lines() - 1, at = (int)strlen(label);
	int room = term_columns() - at - 1, left = (int)strlen(text) - room;
	unsigned int column;

	tui_draw(t);
	if (wrong) {
		term_text(y - 2, 0, term_columns(), TERM_TITLE, wrong, 0);
		term_text(y - 1, 0, term_columns(), TERM_TITLE, "", 0);
		if (sscanf(wrong, "filter: column %u", &column) == 1 && left <= 0)
			term_text(y - 1, at + (int)column - 1, 1, TERM_TITLE, "v", 0);
	}
	left = left > 0 ? left : 0;
	term_text(y, 0, at, TERM_TITLE, label, 0);
	term_text(y, at, term_columns() - at, TERM_PLAIN, text, left);
	term_cursor(y, at + (int)strlen(text) - left);
	term_show();
}

/* Handles a key. Return: 1 = the line is complete, -1 = given up, 0 = neither. */
static int take(char *text, size_t size, int key)
{
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		return 1;
	case TERM_ESCAPE:
		return -1;
	case KEY_BACKSPACE:
	case '\b':
	case 127:
		erase_last(text);
		return 0;
	case 'U' - '@':
		text[0] = '\0';
		return 0;
	default:
		if (key & TERM_WIDE || (key >= ' ' && key < KEY_MIN))
			append(text, size, key & ~TERM_WIDE);
		return 0;
	}
}

bool prompt(struct tui *t, const char *label, char *text, size_t size,
	    const char *(*check)(struct tui *t, const char *text))
{
	const char *wrong = NULL;
	int done = 0, key;

	t->message[0] = '\0';
	while (done >= 0 && !term_signal()) {
		draw(t, label, text, wrong);
		key = term_key(500);
		if (key == TERM_NONE)
			continue;
		if (key == KEY_RESIZE)
			tui_layout(t);
		done = take(text, size, key);
		wrong = done == 1 && check ? check(t, text) : done ? NULL : wrong;
		if (done == 1 && !wrong)
			return true;
	}
	return false;
}
