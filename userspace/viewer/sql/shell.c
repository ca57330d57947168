// SPDX-License-Identifier: GPL-2.0
/*
 * shell.c - commands with a dot, and statements line by line
 *
 * On a terminal an error ends a statement, in a script the run.
 */
#include "ask.h"

#include "base/pager.h"
#include "edit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 3

enum dot_result { DOT_OK, DOT_WRONG, DOT_QUIT };

/* struct dot - a command: @args: what follows its name; @run gets the words, NULL = missing */
struct dot {
	const char *name;
	const char *args;
	const char *help;
	enum dot_result (*run)(struct ask *a, char **words);
};

static enum dot_result wrong(const char *what, const char *word)
{
	complain_safely("ktrace sql: %s%s%s", what, word ? ": " : "", word ? word : "");
	return DOT_WRONG;
}

static enum dot_result dot_tables(struct ask *a, char **words)
{
	(void)words;
	schema_tables(a);
	return DOT_OK;
}

/* A name may have quotes, as in statements. */
static enum dot_result dot_schema(struct ask *a, char **words)
{
	const size_t n = words[1] ? strlen(words[1]) : 0;

	if (n > 2 && words[1][0] == '"' && words[1][n - 1] == '"') {
		words[1][n - 1] = '\0';
		words[1]++;
	}
	return schema_show(a, words[1]) ? DOT_OK : wrong("there is no table", words[1]);
}

static enum dot_result dot_mode(struct ask *a, char **words)
{
	const char *message;
	int i;

	if (!words[1]) {
		ktrace_out_str(a->out, show_names[a->mode]);
		ktrace_out_char(a->out, '\n');
		return DOT_OK;
	}
	i = command_choice(".mode", words[1], show_names, &message);
	if (i < 0)
		return wrong(message, NULL);
	a->mode = (enum show_mode)i;
	return DOT_OK;
}

static enum dot_result dot_headers(struct ask *a, char **words)
{
	if (!words[1] || (strcmp(words[1], "on") && strcmp(words[1], "off")))
		return wrong(".headers needs on or off", NULL);
	a->has_heads = !strcmp(words[1], "on");
	return DOT_OK;
}

static void list_parameters(struct ask *a)
{
	size_t i;

	for (i = 0; i < a->parameter_nr; i++) {
		ktrace_out_safe(a->out, a->parameters[i].name);
		ktrace_out_char(a->out, '=');
		ktrace_out_safe(a->out, a->parameters[i].value);
		ktrace_out_char(a->out, '\n');
	}
}

static enum dot_result dot_param(struct ask *a, char **words)
{
	const char *message;

	if (!words[1]) {
		list_parameters(a);
		return DOT_OK;
	}
	message = ask_set_parameter(a, words[1]);
	if (message)
		return wrong(message + strlen("--param: "), words[1]);
	a->parameters[a->parameter_nr - 1].is_used = true;
	return DOT_OK;
}

static enum dot_result dot_help(struct ask *a, char **words);

static enum dot_result dot_quit(struct ask *a, char **words)
{
	(void)a;
	(void)words;
	return DOT_QUIT;
}

static const struct dot dots[] = {
	{ ".headers", "on|off", "print the names of columns", dot_headers },
	{ ".help", "", "print this", dot_help },
	{ ".mode", "[MODE]", "how rows are shown: table, csv, json, list, line", dot_mode },
	{ ".param", "[NAME=VALUE]", "set a parameter, or list them", dot_param },
	{ ".quit", "", "leave", dot_quit },
	{ ".schema", "[TABLE]", "show the columns of a table", dot_schema },
	{ ".tables", "", "list the tables", dot_tables },
};

#define DOT_NR (sizeof(dots) / sizeof(dots[0]))

const char *shell_command(size_t i)
{
	return i < DOT_NR ? dots[i].name : NULL;
}

static enum dot_result dot_help(struct ask *a, char **words)
{
	char line[128];
	size_t i;

	(void)words;
	for (i = 0; i < DOT_NR; i++) {
		snprintf(line, sizeof(line), "%-9s %-13s %s\n", dots[i].name, dots[i].args,
			 dots[i].help);
		ktrace_out_str(a->out, line);
	}
	ktrace_out_str(a->out, "A statement ends with a semicolon.\n");
	return DOT_OK;
}

static enum dot_result run_dot(struct ask *a, char *line)
{
	char *words[WORDS_MAX + 1] = { NULL }, *rest = line;
	size_t i;

	for (i = 0; i < WORDS_MAX && (words[i] = strtok_r(rest, " \t\n", &rest)); i++)
		;
	for (i = 0; i < DOT_NR; i++)
		if (!strcmp(dots[i].name, words[0]))
			return words[2] ? wrong("too many words after", words[0]) :
			       dots[i].run(a, words);
	return wrong("there is no such command; see .help", words[0]);
}

/* Runs a command without changing its line, which may be of libedit. */
static enum dot_result run_dot_line(struct ask *a, const char *line)
{
	char *copy = strdup(line);
	enum dot_result result = copy ? run_dot(a, copy) : wrong("out of memory", NULL);

	free(copy);
	return result;
}

bool shell_is_command(const char *line)
{
	const size_t n = strcspn(line, " \t\n");
	size_t i;

	for (i = 0; i < DOT_NR; i++)
		if (!strncmp(dots[i].name, line, n) && !dots[i].name[n])
			return true;
	return false;
}

bool shell_run_command(struct ask *a, const char *line)
{
	const enum dot_result result = run_dot_line(a, line);

	if (result == DOT_WRONG)
		a->status = STATUS_USAGE;
	return result == DOT_OK;
}

/**
 * struct script - what is being read
 * @a:		the run
 * @is_terminal: it is typed
 * @edit:	by somebody who can edit it, NULL = no
 * @line:	the line that was read, unless @edit has it
 * @room:	of @line
 * @text:	the lines of the statement so far
 * @len:	of @text
 * @is_over:	nothing more is to be read
 */
struct script {
	struct ask *a;
	bool is_terminal;
	struct edit *edit;
	char *line;
	size_t room;
	char *text;
	size_t len;
	bool is_over;
};

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n;")];
}

/* What follows a statement, such as a program that waits for the answer, gets it at once. */
static void run_text(struct script *s)
{
	const bool is_good = ask_run(s->a, s->text, NULL);
	struct ktrace_out *out = s->a->out;

	if (!out->error)
		out->error = out->flush(out);

	s->is_over = !is_good && !s->is_terminal;
	s->len = 0;
	s->text[0] = '\0';
}

static void take_line(struct script *s, const char *line, size_t n)
{
	enum dot_result result;
	char *bigger;

	if (strlen(line) < n) {
		wrong("a line has a NUL byte", NULL);
		s->a->status = STATUS_USAGE;
		s->is_over = true;
		return;
	}
	if (*line == '.' && (!s->len || is_blank(s->text))) {
		result = run_dot_line(s->a, line);
		s->is_over = result == DOT_QUIT || (result == DOT_WRONG && !s->is_terminal);
		if (result == DOT_WRONG)
			s->a->status = STATUS_USAGE;
		return;
	}
	bigger = realloc(s->text, s->len + n + 1);
	if (!bigger) {
		wrong("out of memory", NULL);
		s->a->status = STATUS_DAMAGED;
		s->is_over = true;
		return;
	}
	s->text = bigger;
	memcpy(s->text + s->len, line, n + 1);
	s->len += n;
	if (sqlite3_complete(s->text))
		run_text(s);
}

/* Reads a line, on a terminal after a prompt. Return: false = there is none. */
static bool read_line(struct script *s)
{
	const char *prompt = s->len && !is_blank(s->text) ? "   ...> " : "ktrace> ";
	struct ktrace_out *out = s->a->out;
	const char *line;
	ssize_t n;

	if (s->is_terminal && !s->edit)
		ktrace_out_str(out, prompt);
	if (s->is_terminal && !out->error)
		out->error = out->flush(out);
	if (out->error)
		return false;
	if (s->edit) {
		line = edit_line(s->edit, s->len ? s->text : "", prompt);
		n = line ? (ssize_t)strlen(line) : -1;
	} else {
		n = getline(&s->line, &s->room, stdin);
		line = s->line;
	}
	if (n < 0)
		return false;
	take_line(s, line, (size_t)n);
	return true;
}

void shell_run(struct ask *a)
{
	struct script s = { .a = a, .is_terminal = isatty(STDIN_FILENO) };

	if (s.is_terminal) {
		pager_off();
		ktrace_out_str(a->out, "'.help' lists commands, '.tables' tables.\n");
		s.edit = edit_open(a);
	}
	while (!s.is_over && read_line(&s))
		;
	/* The last statement of a script need not end with a semicolon. */
	if (!s.is_over && s.len && !is_blank(s.text))
		run_text(&s);
	if (s.is_terminal)
		a->status = STATUS_OK;
	edit_close(s.edit);
	free(s.text);
	free(s.line);
}
