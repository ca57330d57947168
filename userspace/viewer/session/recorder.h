/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - a recording of ktraced whose parts are taken as they come
 *
 *	recorder_begin ---> ktraced writes a part; SIGUSR1 ends it and begins the next one
 *	recorder_ask   ---> that signal; the part that was ended is handed over, then removed
 *	recorder_end   ---> SIGTERM; what is left is handed over, the folder is removed
 *
 * Nothing here waits but recorder_free().
 */
#ifndef VIEWER_SESSION_RECORDER_H
#define VIEWER_SESSION_RECORDER_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#define RECORDER_ERROR 512u

/**
 * struct recorder_user - callbacks, with the argument @arg
 * @part:	what was recorded is in a tracefile, and as packets in another file, NULL = it could
 *		not be exported. Return: 0, -errno
 * @error:	something went wrong, as ktraced or we say it
 */
struct recorder_user {
	int (*part)(void *arg, const char *tracefile, const char *packets);
	void (*error)(void *arg, const char *text);
	void *arg;
};

/**
 * struct recorder - a recording
 * @user:	its callbacks
 * @pid:	of ktraced, 0 = it has ended
 * @watch_fd:	becomes readable when a file of the recording is there, or whole
 * @said_fd:	becomes readable when ktraced says something, -1 = it will not any more
 * @folder:	where ktraced makes the parts, in TMPDIR or /tmp; "" = none
 * @dir_fd:	that folder, also if it is renamed meanwhile
 * @dir:	its name in this process
 * @part:	name of the part that is written
 * @said:	the line that it is saying, as far as there is room
 * @said_len:	bytes of it
 * @is_there:	ktraced heeds signals
 * @is_wanted:	a part is to be ended as soon as that which was asked for has come
 * @has_failed:	ktraced said that something went wrong while a part was waited for
 * @asked:	parts that were asked for so far
 * @done:	those that have come
 * @ending_ms:	since when it is to end, 0 = it is not
 * @is_pressed:	that was said twice
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
 * @events:	what is recorded, as -e has it
 * @is_kernel:	the whole system's kernel events
 * @words:	a command to run
 * @nr:		words of it, 0 = none: what attaches is recorded
 *
 * Return: 0, -errno.
 */
int recorder_begin(struct recorder *r, const char *events, bool is_kernel, char **words, int nr);

/* What has been recorded up to now is wanted: it is there when @done is what this returns. */
__u64 recorder_ask(struct recorder *r);
/* So much has been recorded that it is time to ask. */
bool recorder_has_much(const struct recorder *r);
void recorder_end(struct recorder *r);
/* What programs attach to, as KTRACE_SESSION has it; to be freed. NULL: it does not say so. */
char *recorder_session(const struct recorder *r);
/* Takes what there is. Return: 0, what @part returned. */
int recorder_serve(struct recorder *r);
/* All that was recorded has been handed over. */
bool recorder_is_over(const struct recorder *r);
/* Ends the recording if it has not, without handing over anything. */
void recorder_free(struct recorder *r);

/*
 * A program of ktrace, with @stderr_fd as its standard error and with @kept_fd open, unless they
 * are -1. Return: its process, -errno.
 */
pid_t program_start(const char *name, char **args, int stderr_fd, int kept_fd);

#endif
