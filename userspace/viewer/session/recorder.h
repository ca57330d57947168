/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - runs ktraced and takes the parts of its recording as they appear
 *
 *	recorder_begin ---> ktraced writes a part; SIGUSR1 ends it and begins the next one
 *	recorder_ask   ---> sends that signal; the ended part is handed over, then removed
 *	recorder_end   ---> sends SIGTERM; the rest is handed over, the folder is removed
 *
 * Only recorder_free() waits.
 */
#ifndef VIEWER_SESSION_RECORDER_H
#define VIEWER_SESSION_RECORDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define RECORDER_ERROR 512u

/**
 * struct recorder_user - callbacks and their argument @arg
 * @part:	takes a part: its tracefile, and its packets in another file, NULL = the export
 *		failed. Return: 0, -errno
 * @error:	takes the text of an error of ktraced or of the recorder
 */
struct recorder_user {
	int (*part)(void *arg, const char *tracefile, const char *packets);
	void (*error)(void *arg, const char *text);
	void *arg;
};

/**
 * struct recorder - a recording
 * @user:	the callbacks
 * @pid:	of ktraced, 0 = it has ended
 * @watch_fd:	becomes readable when ktraced creates or completes a file
 * @said_fd:	standard error of ktraced, -1 = closed
 * @folder:	folder for the parts, in TMPDIR or /tmp; "" = none
 * @dir_fd:	that folder, even if it is renamed meanwhile
 * @dir:	its path in this process
 * @part:	name of the part being written
 * @said:	the line of @said_fd being read, truncated to fit
 * @said_len:	bytes of it
 * @is_there:	ktraced has created a part, so it handles signals
 * @is_wanted:	end a part as soon as the one asked for before has arrived
 * @has_failed:	ktraced reported an error while a part was awaited
 * @asked:	parts asked for so far
 * @done:	parts that have arrived
 * @ending_ms:	time at which recorder_end() was called, 0 = not yet
 * @is_pressed:	SIGTERM was sent twice
 */
struct recorder {
	struct recorder_user user;
	pid_t pid;
	int watch_fd;
	int said_fd;
	char folder[256];
	int dir_fd;
	char dir[32];
	char part[32];
	char said[RECORDER_ERROR];
	size_t said_len;
	bool is_there;
	bool is_wanted;
	bool has_failed;
	__u64 asked;
	__u64 done;
	__s64 ending_ms;
	bool is_pressed;
};

/*
 * recorder_begin - start ktraced
 * @r:		the recording, to be freed in any case; @user is set
 * @events:	events to record, as for -e
 * @is_kernel:	record the kernel events of the whole system
 * @words:	a command to run
 * @nr:		words of the command, 0 = none: records programs that attach
 *
 * Return: 0, -errno.
 */
int recorder_begin(struct recorder *r, const char *events, bool is_kernel, char **words, int nr);

/*
 * Asks for the part being written: it has been handed over when @done reaches the returned value.
 */
__u64 recorder_ask(struct recorder *r);
/* True if the current part is large enough to ask for it. */
bool recorder_has_much(const struct recorder *r);
void recorder_end(struct recorder *r);
/*
 * Returns the value of KTRACE_SESSION for programs to attach; to be freed. NULL: ktraced does not
 * answer.
 */
char *recorder_session(const struct recorder *r);
/* Reads messages and takes parts that are ready. Return: 0, what @part returned. */
int recorder_serve(struct recorder *r);
/* True if everything recorded has been handed over. */
bool recorder_is_over(const struct recorder *r);
/* Ends the recording if still running; drops parts that were not handed over. */
void recorder_free(struct recorder *r);

/*
 * Starts a program of ktrace with standard error @stderr_fd and with @kept_fd left open, unless
 * they are -1. Return: its process id, -errno.
 */
pid_t program_start(const char *name, char **args, int stderr_fd, int kept_fd);

#endif
