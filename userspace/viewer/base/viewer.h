/* SPDX-License-Identifier: GPL-2.0 */
/* viewer.h - what all commands of ktrace(1) share */
#ifndef VIEWER_BASE_VIEWER_H
#define VIEWER_BASE_VIEWER_H

#include <getopt.h>
#include <ktrace/traceset.h>

#include "base/option_table.h"

/* Exit status */
enum {
	STATUS_OK = 0,
	STATUS_DAMAGED = 1,	/* a file is damaged, not a trace, or cannot be read */
	STATUS_USAGE = 2,
};

/**
 * struct command - one command
 * @name:	its name
 * @old:	a deprecated name, still accepted; NULL = none
 * @args:	what follows the name
 * @summary:	one line
 * @options:	its own options; --help, -h and --version are added
 * @note:	told each option that was taken; may be NULL
 * @needs_files: refuse a command line without a file
 * @reads_files: has options of commands that read tracefiles even if no file is needed
 * @lacks_store: has no --store: it reads files one by one, or while they grow
 * @lacks_clocks: has no --clocks: times are those of each host
 * @is_live:	shows events as they happen: no pager
 * @run:	argv[0] is "ktrace" and the name; returns the exit status. NULL: the command is a
 *		separate program, see command_program()
 */
struct command {
	const char *name;
	const char *old;
	const char *args;
	const char *summary;
	const struct option_set *options;
	void (*note)(void *to, const struct option_row *row, const char *value);
	bool needs_files;
	bool reads_files;
	bool lacks_store;
	bool lacks_clocks;
	bool is_live;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

extern const struct command cmd_list;
extern const struct command cmd_sync;
extern const struct command cmd_merge;
extern const struct command cmd_info;
extern const struct command cmd_events;
extern const struct command cmd_check;
extern const struct command cmd_cut;
extern const struct command cmd_diff;
extern const struct command cmd_seq;
extern const struct command cmd_doctor;
extern const struct command cmd_grep;
extern const struct command cmd_hist;
extern const struct command cmd_stat;
extern const struct command cmd_state;
extern const struct command cmd_objects;
extern const struct command cmd_contention;
extern const struct command cmd_control;
extern const struct command cmd_lock_order;
extern const struct command cmd_flow;
extern const struct command cmd_resources;
extern const struct command cmd_sched;
extern const struct command cmd_syscalls;
extern const struct command cmd_irq;
extern const struct command cmd_io;
extern const struct command cmd_critical_path;
extern const struct command cmd_export;
extern const struct command cmd_html;
extern const struct command cmd_import;
extern const struct command cmd_ipoints;
extern const struct command cmd_recv_shark;
extern const struct command cmd_live;
extern const struct command cmd_level;
extern const struct command cmd_pthread;
extern const struct command cmd_stacks;

/* The options --mode and --min-free of commands that write files; they refer to nothing. */
extern const struct option_row output_options[];
/* The option --json; refers to a bool */
extern const struct option_row json_options[];
/* --compress of commands that write tracefiles; refers to an int, the level */
extern const struct option_row compress_options[];

/*
 * Parses the options of @cmd into @to, the struct to which they refer, and serves --help and
 * --version. Return: -1, and optind is the first word that is no option; else the exit status.
 */
int command_parse(const struct command *cmd, void *to, int argc, char **argv);
/* Reports a wrong command line; @message may be NULL. Returns STATUS_USAGE. */
int command_usage(const struct command *cmd, const char *message);
/* The same if @message is not NULL; otherwise returns -1. */
int command_check(const struct command *cmd, const char *message);
/*
 * Returns the index of @word, the value of @option, in @names, which end with NULL. Without a match
 * returns -1 and a message in @wrong: "--to: there is no 'ctv' (did you mean 'ctf'?)", or, if none
 * is similar, the list of names. The message is valid until the next call.
 */
int command_choice(const char *option, const char *word, const char *const *names,
		   const char **wrong);
void command_help(const struct command *cmd);
void print_version(void);
/* Runs a command with these arguments; any argv[0] will do. Returns the exit status. */
int command_run(const struct command *cmd, int argc, char **argv);
/*
 * Executes the program libexec/ktrace/@name. It implements a command, or a part of one, that needs
 * libraries no other command needs, so that ktrace starts without them. Returns STATUS_DAMAGED,
 * having complained, if there is none.
 */
int command_program(const char *name, char **argv);
/* Finds the program of that folder, for ktrace itself. Return: 0, -errno. */
int command_part(char *path, size_t size, const char *name);
/* Finds another program of that folder, for one of these. Return: 0, -errno. */
int command_sibling(char *path, size_t size, const char *name);
/* Becomes man(1), showing the command's page. Returns, having complained, if that fails. */
void command_manual(const char *name);
/*
 * Makes the exit status STATUS_USAGE: the command line does not fit its files, as already reported.
 */
void command_wrong(void);
/* Main function of such a program and of ktrace: sets the process up, calls @run. */
int command_main(int (*run)(int argc, char **argv), int argc, char **argv);

/* Returns the buffer of standard output, which stops quietly when its reader has gone. */
struct ktrace_out *output(void);
/* Writes the rest out. Returns @status, or STATUS_DAMAGED after a failure. */
int output_end(int status);
/*
 * Sends the output to @path, which must not be one of @inputs, instead of standard output; "-" is
 * standard output. The file gets its name, and replaces an old one, at output_end() and only if all
 * of it was written. It is removed if a signal ends the process. Return: 0, -errno; errors are
 * already reported.
 */
int output_to(const char *path, int nr, char **inputs);
/*
 * Returns the temporary name of that file, for code that writes to it itself. NULL: it is not a
 * regular file.
 */
const char *output_path(void);
/*
 * The same for a file that is not written through output(): output_name() returns its name until it
 * is complete; NULL: it cannot be opened, as already reported. output_name_end() gives it the
 * requested name, or removes it if @ret is an error; returns @ret, -errno.
 */
const char *output_name(const char *path, int nr, char **inputs);
int output_name_end(int ret);
/*
 * Like output_name(), for a further file, up to OUTPUT_FURTHER: they get their names together, at
 * output_name_end(). NULL: the file cannot be opened, as already reported, or there are too many.
 */
#define OUTPUT_FURTHER 64
const char *output_another(const char *path, int nr, char **inputs);
/* Removes the file of output_name(): further ones take its place. */
void output_name_skip(void);
/* Like strerror() for errors of written files; mentions --min-free for -ENOSPC. */
const char *output_error(int error);
/* Checks, before @size bytes are written to @fd, that enough stays free. Return: 0, -ENOSPC. */
int output_room(int fd, __u64 size);
/* Checks the same, then writes everything with write(2). Return: 0, -errno. */
int output_write(int fd, const void *text, size_t size);
/* Applies --mode, if given, to a file or folder. Return: 0, -errno. */
int output_give_mode(int fd, bool is_folder);
/*
 * Stores in @name the file that @path leads to; the file must exist, and is opened with @flags, not
 * 0, to find out. If @flags is 0, the file does not exist and @name becomes @path. Return: 0;
 * -EACCES: a link or a file of another user, in a folder where everybody may create them; -errno.
 * @name has room for PATH_MAX bytes.
 */
int output_resolve(const char *path, int flags, char *name);
/*
 * output_in_place() opens a file that is written in place, with @flags, and empties it. Return: fd;
 * -EBUSY: a recorder is writing to it; -errno. output_empty() empties an open one. Return: 0, the
 * same errors.
 */
int output_in_place(const char *path, int flags);
int output_empty(int fd);
/* Removes an incomplete file; a signal handler may call it. */
void output_drop(void);
/* Discards such a file at the end: the command has failed, and reported it. */
void output_void(void);
/*
 * Makes @drop remove incomplete output when the process ends, also by a signal. NULL: there is
 * nothing to remove but the progress line.
 */
void output_watch(void (*drop)(void));
/* Prints one line on standard error, with control characters made visible. */
__attribute__((format(printf, 1, 2)))
void complain_safely(const char *format, ...);
/* The same for what is no complaint: the journal gets it with a lower priority. */
__attribute__((format(printf, 1, 2)))
void report_safely(const char *format, ...);
/* The same, "ktrace: PATH: ...". */
__attribute__((format(printf, 2, 3)))
void complain_about(const char *path, const char *format, ...);
/*
 * Makes messages about @path name @name instead: @path is a temporary copy. Both must stay valid.
 */
void complain_as(const char *path, const char *name);
/*
 * Writes bytes from another buffer after those in the output buffer; @error: an error that follows
 * them.
 */
void output_text(const char *text, size_t size, int error);
#define LINE_ROOM 4096u
/* A flush() for text that stays in memory: grows the buffer; the caller frees @buf. */
int output_grow(struct ktrace_out *out);
/* Makes room for an ordinary line, so that columns can be counted. */
void output_line_begin(struct ktrace_out *out);

/* Returns what KTRACE_CORES asks for: 1 or 2, otherwise the library chooses. */
enum ktrace_cores cores_wanted(void);
/* True if @nr names on the command line, or --store, say what to read. */
bool has_files(int nr);
/*
 * Replaces each name that does not exist, but is that of a recording in several parts, by the names
 * of the parts; appends what --store chooses. Returns a NULL-terminated list and its length in
 * @out; NULL, and -errno in @out, without memory or if --store chooses nothing, as already
 * reported.
 */
char **files_expand(int nr, char **paths, int *out);
void files_free(char **list);
/* Opens all files and reports errors. NULL: none can be read. */
struct ktrace_traceset *open_files(int nr, char **paths, int *status);
/*
 * The same for files that may still be growing: their end is preliminary. files_grow() looks for
 * more data, in further parts as well. Return: > 0 if there is more, 0, -errno.
 */
struct ktrace_traceset *open_growing_files(int nr, char **paths, int *status);
int files_grow(struct ktrace_traceset *set, int nr, char **paths);
/* True if all recordings have ended. */
bool files_are_over(const struct ktrace_traceset *set);
/* Returns @status, or STATUS_DAMAGED if damage was found meanwhile. */
int files_status(const struct ktrace_traceset *set, int status);

/*
 * Finds the times of the first and last event, which may be before the end in the headers; seeks to
 * the beginning. Return: 0, -errno.
 */
int files_span(struct ktrace_traceset *set, __u64 *start, __u64 *end);

/* Reports files that may be truncated, missing parts of recordings, and clock warnings. */
void complain_files(const struct ktrace_traceset *set);

#endif
