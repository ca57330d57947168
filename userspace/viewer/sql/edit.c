// SPDX-License-Identifier: GPL-2.0
/* edit.c - lines that are typed on a terminal: edited, completed, kept */
#include "edit.h"

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "complete.h"
#include "history.h"

/* Names that are listed below the line; of more only their number is told. */
#define LISTED_MAX 200u

/**
 * struct edit - a terminal
 * @a:		the run
 * @el:		libedit's
 * @history:	its list of lines
 * @fd:		the file of these, -1 = none
 * @prompt:	of the line that is being typed
 * @before:	the lines of the statement before it
 */
struct edit {
	struct ask *a;
	EditLine *el;
	History *history;
	int fd;
	const char *prompt;
	const char *before;
};

static struct edit *edit_of(EditLine *el)
{
	void *e = NULL;

	el_get(el, EL_CLIENTDATA, &e);
	return e;
}

static char *prompt_of(EditLine *el)
{
	return (char *)edit_of(el)->prompt;
}

static size_t columns_of_terminal(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Prints the names in columns below the line. */
static void list_names(const struct completion *c)
{
	size_t i, k, width = 0, across, lines;

	for (i = 0; i < c->nr; i++)
		width = strlen(c->names[i]) > width ? strlen(c->names[i]) : width;
	across = columns_of_terminal() / (width + 2);
	across = across ? across : 1;
	lines = (c->nr + across - 1) / across;
	putchar('\n');
	if (c->nr > LISTED_MAX) {
		printf("%zu names begin so\n", c->nr);
		return;
	}
	for (i = 0; i < lines; i++) {
		for (k = i; k < c->nr; k += lines)
			printf("%-*s", k + lines < c->nr ? (int)width + 2 : 0, c->names[k]);
		putchar('\n');
	}
	fflush(stdout);
}

/* Returns the number of characters, of which one may be several bytes. */
static size_t characters(const char *text)
{
	const size_t n = mbstowcs(NULL, text, 0);

	return n == (size_t)-1 ? strlen(text) : n;
}

/* Replaces the word before the cursor by a longer one, or lists what it may become. */
static unsigned char take_completion(EditLine *el, const char *word, struct completion *c)
{
	const bool is_longer = c->text && c->nr &&
			       (strlen(c->text) != c->len || strncmp(c->text, word, c->len));

	if (is_longer) {
		el_deletestr(el, (int)characters(word));
		return el_insertstr(el, c->text) ? CC_ERROR : CC_REFRESH;
	}
	if (c->nr < 2)
		return CC_ERROR;
	list_names(c);
	return CC_REDISPLAY;
}

/* True if what follows is there already: text is pasted. */
static bool is_more_waiting(void)
{
	int waiting = 0;

	return !ioctl(STDIN_FILENO, FIONREAD, &waiting) && waiting > 0;
}

/* A tab in pasted text is a blank. */
static unsigned char on_tab(EditLine *el, int key)
{
	struct edit *e = edit_of(el);
	const LineInfo *line = el_line(el);
	const size_t n = (size_t)(line->cursor - line->buffer);
	struct completion c;
	unsigned char ret;
	char *text;

	(void)key;
	if (is_more_waiting())
		return el_insertstr(el, " ") ? CC_ERROR : CC_REFRESH;
	if (asprintf(&text, "%s%.*s", e->before, (int)n, line->buffer) < 0)
		return CC_ERROR;
	complete(e->a, text, strlen(e->before), &c);
	ret = take_completion(el, text + strlen(text) - c.len, &c);
	completion_free(&c);
	free(text);
	return ret;
}

/* Takes a line without its end into the list. */
static void take_line(void *arg, const char *line)
{
	HistEvent event;

	history(((struct edit *)arg)->history, &event, H_ENTER, line);
}

/* Keeps a line: in the list without its end, as those of the file, so that equal ones are found. */
static void keep_line(struct edit *e, const char *line)
{
	char *copy = strndup(line, strcspn(line, "\n"));

	if (copy)
		take_line(e, copy);
	free(copy);
	history_add(&e->fd, line);
}

/* libedit drops characters that the locale does not have, and SQLite's are those of UTF-8. */
static void take_characters(void)
{
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}

struct edit *edit_open(struct ask *a)
{
	const char *term = getenv("TERM");
	struct edit *e;
	HistEvent event;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	take_characters();
	*e = (struct edit){ .a = a, .fd = -1, .prompt = "", .before = "" };
	e->el = el_init("ktrace", stdin, stdout, stderr);
	e->history = history_init();
	if (!e->el || !e->history) {
		edit_close(e);
		return NULL;
	}
	history(e->history, &event, H_SETSIZE, HISTORY_LINES);
	history(e->history, &event, H_SETUNIQUE, 1);
	el_set(e->el, EL_CLIENTDATA, e);
	el_set(e->el, EL_PROMPT, prompt_of);
	el_set(e->el, EL_SIGNAL, 1);
	el_set(e->el, EL_EDITOR, "emacs");
	el_set(e->el, EL_HIST, history, e->history);
	el_set(e->el, EL_ADDFN, "complete", "Complete a word", on_tab);
	el_set(e->el, EL_BIND, "^I", "complete", NULL);
	el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(e->el, NULL);
	e->fd = history_open(take_line, e);
	return e;
}

const char *edit_line(struct edit *e, const char *before, const char *prompt)
{
	const char *line;
	int n;

	e->before = before;
	e->prompt = prompt;
	line = el_gets(e->el, &n);
	if (!line || n <= 0) {
		putchar('\n');
		return NULL;
	}
	if (line[strspn(line, " \t\r\n")])
		keep_line(e, line);
	return line;
}

void edit_close(struct edit *e)
{
	if (!e)
		return;
	if (e->history)
		history_end(e->history);
	if (e->el)
		el_end(e->el);
	if (e->fd >= 0)
		close(e->fd);
	free(e);
}
