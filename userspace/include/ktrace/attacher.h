/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * attacher.h - record programs that already run
 *
 * Programs with libktrace have a slot on their user's board, <linux/ktrace_board.h>. A recorder
 * that wants one says so there; the program's next event joins the recording.
 */
#ifndef KTRACE_ATTACHER_H
#define KTRACE_ATTACHER_H

#include <stdbool.h>
#include <linux/ktrace_board.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ktrace_attacher;

/**
 * struct ktrace_attachable - a program on the board
 * @slot:	number of its slot
 * @pid:	its process
 * @fate:	enum ktrace_board_fate of what this recorder wants
 * @error:	errno if it refused
 * @is_wanted:	by this recorder
 * @has_old:	it is in several recordings, and some of its events, compiled with headers of 0.1,
 *		record into one only
 * @is_direct:	it is in a recording that can share it with no other
 */
struct ktrace_attachable {
	__u32 slot;
	__u32 pid;
	__u32 fate;
	__u32 error;
	bool is_wanted;
	bool has_old;
	bool is_direct;
};

/**
 * ktrace_attacher_open - get a recorder's number on a user's board
 * @uid:	the user; a board of one's own is made if there is none
 * @name:	KTRACE_BOARD of the programs, NULL = not set
 * @out:	out: the recorder
 *
 * Return: 0; -ENOENT: no program of that user has a board; -EPERM: it belongs to another user, or
 * others may write to it; -EBADMSG: invalid, or of another version; -EBUSY: KTRACE_BOARD_WANTS
 * recorders use it; -EOPNOTSUPP: KTRACE_BOARD is "none"; -ENOMEM; or -errno.
 */
int ktrace_attacher_open(__u32 uid, const char *name, struct ktrace_attacher **out);

/** ktrace_attacher_close - want nothing any more, and give the number back; NULL is no error */
void ktrace_attacher_close(struct ktrace_attacher *a);

/** ktrace_attacher_full - get how many programs have found no free slot so far */
__u32 ktrace_attacher_full(const struct ktrace_attacher *a);

/**
 * ktrace_attacher_next - look at the programs on the board
 * @a:		the recorder
 * @slot:	number of the slot at which to begin
 * @found:	out: the first one from there on that seems to be alive
 */
bool ktrace_attacher_next(const struct ktrace_attacher *a, __u32 slot,
			  struct ktrace_attachable *found);

/**
 * ktrace_attacher_want - want a program
 * @a:		the recorder
 * @found:	what ktrace_attacher_next() found
 * @session:	ktrace_session_info.env of the session, which is running
 * @pidns:	inode of the PID namespace of the session's owner, 0 = unknown
 *
 * Return: 0; -ESRCH: it has ended; -EINVAL: @session is too long.
 */
int ktrace_attacher_want(struct ktrace_attacher *a, const struct ktrace_attachable *found,
			 const char *session, __u64 pidns);

/**
 * ktrace_attacher_poke - let a program look again at what is wanted
 *
 * For one that is wanted and has not joined: a child that shared its memory or its slot may have
 * taken the first poke.
 */
void ktrace_attacher_poke(struct ktrace_attacher *a, const struct ktrace_attachable *found);

/** ktrace_attacher_want_all - want every program that starts from now on; otherwise the same */
int ktrace_attacher_want_all(struct ktrace_attacher *a, const char *session, __u64 pidns);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
