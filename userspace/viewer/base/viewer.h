/* SPDX-License-Identifier: GPL-2.0 */
/* viewer.h - what the commands of ktrace(1) have in common */
#ifndef VIEWER_BASE_VIEWER_H
#define VIEWER_BASE_VIEWER_H

#include <getopt.h>
#include <ktrace/nearest.h>
#include <ktrace/traceset.h>

/* Exit status */
enum {
	STATUS_OK = 0,
	STATUS_DAMAGED = 1,	/* a file is damaged, not a trace, or cannot be read */
	STATUS_USAGE = 2,
};

/**
 * struct command - one command
 * @name:	its name
 * @args:	what follows the name
 * @summary:	one line
 * @help:	the rest of its help: options and formats
 * @is_live:	shows what happens while it happens: no pager
 * @run:	argv[0] is "ktrace" and the name; returns the exit status. NULL: the command is a
 *		program of its own, see command_program()
 */
struct command {
	const char *name;
	const char *args;
	const char *summary;
	const char *help;
	bool is_live;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

extern const struct command cmd_list;
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
extern const struct command cmd_recv;
extern const struct command cmd_live;
extern const struct command cmd_level;
extern const struct command cmd_pthread;
extern const struct command cmd_stacks;

/* Every command has these, with the values below; also -h, which command_option() adds. */
#define COMMON_OPTIONS \
	{ "help", no_argument, NULL, OPTION_HELP }, \
	{ "version", no_argument, NULL, OPTION_VERSION }, \
	{ NULL, 0, NULL, 0 }
enum { OPTION_HELP = 1000, OPTION_VERSION, OPTION_MODE, OPTION_MIN_FREE };

/* Those of commands that write files; command_option() handles --mode, --min-free. */
#define OUTPUT_OPTIONS \
	{ "output", required_argument, NULL, 'o' }, \
	{ "mode", required_argument, NULL, OPTION_MODE }, \
	{ "min-free", required_argument, NULL, OPTION_MIN_FREE }
#define OUTPUT_HELP \
"  --mode MODE        of the file, octal: 0640 (default: 0600; one that is\n" \
"                     replaced keeps its own)\n" \
"  --min-free SIZE    leave so much of the file system free, 0 = off (default:\n" \
"                     the smaller of 5 % and 1 GiB)\n"

/*
 * As getopt_long(). Of an option that there is not it says which one may have been meant, and
 * returns '?'.
 */
int command_option(int argc, char **argv, const char *letters,
		   const struct option *options);
/* Handles what a command does not: --help, --version, errors. Returns the exit status. */
int command_common_option(const struct command *cmd, int option);
int command_usage(const struct command *cmd, const char *message);
/*
 * Which of @names, which end with NULL, the word @word of @option is. -1: none, and @wrong says so:
 * "--to: there is no 'ctv' (did you mean 'ctf'?)", or, if none is near, which there are. Valid
 * until the next call.
 */
int command_choice(const char *option, const char *word, const char *const *names,
		   const char **wrong);
void command_help(const struct command *cmd);
void print_version(void);
/* Runs it with these arguments; argv[0] is any. Returns the exit status. */
int command_run(const struct command *cmd, int argc, char **argv);
/*
 * Becomes the program libexec/ktrace/@name, which has the command, or a part of one, that needs
 * libraries no other needs: ktrace starts without them. Returns STATUS_DAMAGED, having complained,
 * if there is none.
 */
int command_program(const char *name, char **argv);
/* What the command line asks for makes no sense for its files, which was said: STATUS_USAGE. */
void command_wrong(void);
/* What main() of such a program, and of ktrace, does: sets the process up, calls @run. */
int command_main(int (*run)(int argc, char **argv), int argc, char **argv);

/* Standard output; stops quietly when nobody reads it any more. */
struct ktrace_out *output(void);
/* Writes the rest out. Returns @status, or STATUS_DAMAGED after a failure. */
int output_end(int status);
/*
 * Instead of standard output, @path, if it is none of @inputs; "-" is standard output. A file
 * gets its name, and replaces what had it, at output_end() and only if all of it was written; it
 * is gone if a signal ends the process.
 * Return: 0, -errno, which it has complained about.
 */
int output_to(const char *path, int nr, char **inputs);
/* For code that writes to the file itself: its name for now. NULL: it is no ordinary file. */
const char *output_path(void);
/*
 * The same for a file that is not written through output(): its name until it is whole; NULL:
 * there is none, which was complained about. Afterwards it gets the name that was asked for, or
 * is gone if @ret is an error; returns @ret, -errno.
 */
const char *output_name(const char *path, int nr, char **inputs);
int output_name_end(int ret);
/* --mode: false, having complained, if @text is none. */
bool output_set_mode(const char *text);
/* --min-free, the same. What is written from now on heeds it, also in programs that are started. */
bool output_set_min_free(const char *text);
/* strerror() for what went wrong with a file that is written; -ENOSPC: --min-free, too. */
const char *output_error(int error);
/* Called before @size bytes are written to @fd. Return: 0, -ENOSPC: too little would stay free. */
int output_room(int fd, __u64 size);
/* The same, and write(2) until all is written. Return: 0, -errno. */
int output_write(int fd, const void *text, size_t size);
/* Gives a file or folder the mode that --mode says, if it was given. Return: 0, -errno. */
int output_give_mode(int fd, bool is_folder);
/*
 * Puts into @name which file @path leads to, which has to be there and is opened with @flags, not
 * 0, to see. With 0 it is not there, and @name is @path. Return: 0; -EACCES: by a link or to a
 * file of another user, in a folder where everybody may make such; -errno. @name has room for
 * PATH_MAX bytes.
 */
int output_resolve(const char *path, int flags, char *name);
/*
 * A file that is written in place, open(2) with @flags, and empty. Return: fd; -EBUSY somebody
 * records into it, -errno. Or one that is open; return: 0, the same.
 */
int output_in_place(const char *path, int flags);
int output_empty(int fd);
/* Takes a file that is not whole away; a handler of signals may call it. */
void output_drop(void);
/* What is there of such a file is not to be kept: the command has failed, and said so. */
void output_void(void);
/*
 * What is not whole: @drop takes it away when the process ends, also by a signal. NULL: there is
 * nothing but what shows how far work is.
 */
void output_watch(void (*drop)(void));
/* One line on standard error; of what a terminal would obey is shown that it was there. */
__attribute__((format(printf, 1, 2)))
void complain_safely(const char *format, ...);
/* The same, "ktrace: PATH: ...". */
__attribute__((format(printf, 2, 3)))
void complain_about(const char *path, const char *format, ...);
/* Bytes from elsewhere, behind those that are in the buffer; @error: what then went wrong. */
void output_text(const char *text, size_t size, int error);
#define LINE_ROOM 4096u
/* For text that stays in memory: flush() that makes room for more; @buf is to be freed. */
int output_grow(struct ktrace_out *out);
/* Room for an ordinary line, so that columns can be counted. */
void output_line_begin(struct ktrace_out *out);

/* As KTRACE_CORES in the environment says: 1 or 2, else as it fits. */
enum ktrace_cores cores_wanted(void);
/*
 * The names of files that are meant: for one that there is not, but as the name of a recording
 * in several files, these. NULL-terminated; NULL: no memory, which was said.
 */
char **files_expand(int nr, char **paths, int *out);
void files_free(char **list);
/* --compress of what writes tracefiles, and what is said of a word that is no level */
#define COMPRESS_HELP \
"  --compress[=LEVEL] compress blocks: -50 (fastest) to 19, without LEVEL 1; 0 or\n" \
"                     none = not (default)\n"
#define COMPRESS_WRONG "--compress: not a level from -50 to 19, or none"

/* The format that ktrace import would take the file as, by its beginning; NULL: it is not known. */
const char *files_foreign_format(const char *path);
/* Opens all files, complaining about what is wrong. NULL: none can be read. */
struct ktrace_traceset *open_files(int nr, char **paths, int *status);
/*
 * The same for files that may still be written: what there is at the end is for now. Then
 * files_grow() looks whether there is more, in further parts as well. Return: > 0 there is, 0,
 * -errno.
 */
struct ktrace_traceset *open_growing_files(int nr, char **paths, int *status);
int files_grow(struct ktrace_traceset *set, int nr, char **paths);
/* Have all recordings ended? */
bool files_are_over(const struct ktrace_traceset *set);
/* @status, or STATUS_DAMAGED if something was found to be wrong meanwhile. */
int files_status(const struct ktrace_traceset *set, int status);

/*
 * Times of the first event and of the last, which may lie before what headers say; goes to
 * the beginning. Return: 0, -errno.
 */
int files_span(struct ktrace_traceset *set, __u64 *start, __u64 *end);

/*
 * Says which files may lack their end, which parts of a recording are not there, and what is to be
 * known of their clocks.
 */
void complain_files(const struct ktrace_traceset *set);

/* "sched:switch", or "kernel:64" for what the file does not describe */
void out_event_name(struct ktrace_out *out, const struct ktrace_trace_event *e);

#endif
