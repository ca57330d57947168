// SPDX-License-Identifier: GPL-2.0
/* term.c - the terminal: keys, text in colours, and restoring it at the end */
#include "term.h"

#include "base/viewer.h"
#include "flow.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define KEYS_MAX 64

static SCREEN *screen;
static volatile sig_atomic_t caught;
static bool has_colour;
static int real_stderr = -1, kept_stderr = -1;
static int early[KEYS_MAX], early_nr;	/* keys read before term_key() was called */

static void on_signal(int signal)
{
	caught = signal;
}

int term_signal(void)
{
	return caught;
}

/* The colours of LTTV, as near as the terminal has them: of 256 colours, of 8 */
static const struct {
	short fg, bg, fg8, bg8;
} colours[FLOW_ALL_NR] = {
	[FLOW_UNKNOWN] = { -1, -1, -1, -1 },
	[FLOW_RUN] = { 16, 255, COLOR_BLACK, COLOR_WHITE },
	[FLOW_USER] = { 16, 40, COLOR_BLACK, COLOR_GREEN },
	[FLOW_SYSCALL] = { 16, 117, COLOR_BLACK, COLOR_CYAN },
	[FLOW_TRAP] = { 16, 226, COLOR_BLACK, COLOR_YELLOW },
	[FLOW_IRQ] = { 16, 208, COLOR_WHITE, COLOR_RED },
	[FLOW_SOFTIRQ] = { 16, 218, COLOR_BLACK, COLOR_MAGENTA },
	[FLOW_SLEEP] = { 124, -1, COLOR_RED, -1 },
	[FLOW_DISK] = { 255, 88, COLOR_WHITE, COLOR_RED },
	[FLOW_WAIT_CPU] = { 16, 136, COLOR_YELLOW, -1 },
	[FLOW_FORK] = { 255, 22, COLOR_GREEN, -1 },
	[FLOW_EXIT] = { 16, 201, COLOR_WHITE, COLOR_MAGENTA },
	[FLOW_ZOMBIE] = { 255, 54, COLOR_WHITE, COLOR_BLUE },
	[FLOW_EVENTS] = { 33, -1, COLOR_BLUE, -1 },
	[FLOW_LOST] = { 255, 196, COLOR_WHITE, COLOR_RED },
};

static void begin_colours(void)
{
	const char *no = getenv("NO_COLOR");
	short i;

	has_colour = (!no || !*no) && has_colors() && start_color() == OK &&
		     use_default_colors() == OK;
	for (i = 0; has_colour && i < FLOW_ALL_NR; i++)
		if (COLORS >= 256)
			init_pair((short)(i + 1), colours[i].fg, colours[i].bg);
		else
			init_pair((short)(i + 1), colours[i].fg8, colours[i].bg8);
}

static void keep_stderr(void)
{
	kept_stderr = memfd_create("messages", MFD_CLOEXEC);
	if (kept_stderr < 0)
		return;
	real_stderr = dup(STDERR_FILENO);
	dup2(kept_stderr, STDERR_FILENO);
}

char *term_said(void)
{
	struct stat st;
	char *text;
	ssize_t n;

	if (kept_stderr < 0 || fstat(kept_stderr, &st) || !st.st_size)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	n = text ? pread(kept_stderr, text, (size_t)st.st_size, 0) : 0;
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

static void say_what_was_kept(void)
{
	char *text = term_said();

	if (real_stderr < 0)
		return;
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	real_stderr = -1;
	if (text)
		fputs(text, stderr);
	free(text);
}

int term_begin(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		fprintf(stderr, "ktrace tui: this is no terminal; 'ktrace list' prints events\n");
		return -ENOTTY;
	}
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		complain_safely("ktrace tui: TERM=%s: curses does not know this terminal",
				getenv("TERM") ? getenv("TERM") : "");
		return -ENOTTY;
	}
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	begin_colours();
	keep_stderr();
	curs_set(0);
	return 0;
}

void term_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	say_what_was_kept();
}

static int read_key(int ms)
{
	wint_t key;
	int ret;

	timeout(ms);
	ret = get_wch(&key);
	if (ret == ERR)
		return TERM_NONE;
	return ret == OK && key >= KEY_MIN ? (int)key | TERM_WIDE : (int)key;
}

int term_key(int ms)
{
	int key;

	if (!early_nr)
		return read_key(ms);
	key = early[0];
	memmove(early, early + 1, (size_t)--early_nr * sizeof(*early));
	return key;
}

bool term_is_escaped(void)
{
	int key;

	while (early_nr < KEYS_MAX && (key = read_key(0)) != TERM_NONE) {
		if (key == TERM_ESCAPE)
			return true;
		early[early_nr++] = key;
	}
	return caught;
}

int term_lines(void)
{
	return LINES;
}

int term_columns(void)
{
	return COLS;
}

void term_clear(void)
{
	erase();
}

void term_show(void)
{
	refresh();
}

void term_cursor(int y, int x)
{
	curs_set(x >= 0);
	if (x >= 0)
		move(y, x);
}

static attr_t attr_of(enum term_look look)
{
	switch (look) {
	case TERM_TITLE:
		return A_BOLD;
	case TERM_SELECTED:
		return A_REVERSE;
	case TERM_ALERT:
		return A_BOLD | A_UNDERLINE;
	case TERM_DIM:
		return A_DIM;
	default:
		return A_NORMAL;
	}
}

/* Reads a character and its width in columns, '?' if it cannot be shown. Returns its bytes. */
static size_t next_char(const char *text, mbstate_t *state, wchar_t *c, int *width)
{
	size_t n = mbrtowc(c, text, strlen(text), state);

	*width = n == (size_t)-1 || n == (size_t)-2 ? -1 : wcwidth(*c);
	if (*width >= 0)
		return n;
	if (n == (size_t)-1 || n == (size_t)-2) {
		memset(state, 0, sizeof(*state));
		n = 1;
	}
	*c = L'?';
	*width = 1;
	return n;
}

void term_text(int y, int x, int width, enum term_look look, const char *text, int left)
{
	mbstate_t state = { 0 };
	int at = 0, columns;
	wchar_t c;

	if (y < 0 || y >= LINES || x >= COLS)
		return;
	width = width < COLS - x ? width : COLS - x;
	attrset(attr_of(look));
	mvhline(y, x, ' ', width);
	for (; *text && at - left < width; at += columns) {
		text += next_char(text, &state, &c, &columns);
		if (!columns || at < left || at - left + columns > width)
			continue;
		mvaddnwstr(y, x + at - left, &c, 1);
	}
	/* Highlight a selected row in its full width. */
	mvchgat(y, x, width, attr_of(look), 0, NULL);
	attrset(A_NORMAL);
}

void term_letter(int y, int x, int class, char letter, bool is_marked)
{
	attr_t attr = is_marked ? A_REVERSE : A_NORMAL;

	if (has_colour)
		attr |= (attr_t)COLOR_PAIR(class + 1);
	mvaddch(y, x, (chtype)(unsigned char)letter | attr);
}
