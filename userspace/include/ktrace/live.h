/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * live.h - live recordings: find them, see how they go, change and end them
 *
 * Recordings of ktraced and sessions of ktraced --service, alike; ktrace control is built on this.
 * The caller sees those of its own user, root those of all. Each call sends one message, see
 * <ktrace/port.h>, and waits for the answer.
 */
#ifndef KTRACE_LIVE_H
#define KTRACE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** struct ktrace_live_list - live recordings that were found */
struct ktrace_live_list;
/** struct ktrace_live - one of them, with its last answer */
struct ktrace_live;

/**
 * enum ktrace_live_kind - what records
 * @KTRACE_LIVE_UNKNOWN:	it has not answered, or its last answer was a refusal
 * @KTRACE_LIVE_RECORDING:	a ktraced
 * @KTRACE_LIVE_SESSION:	ktraced --service, as one of its sessions
 */
enum ktrace_live_kind {
	KTRACE_LIVE_UNKNOWN,
	KTRACE_LIVE_RECORDING,
	KTRACE_LIVE_SESSION,
};

/**
 * ktrace_live_find - ask the live recordings that the caller may mean
 * @list:	out: the recordings, to be freed with ktrace_live_free()
 * @name:	pid of ktraced or of its command, its session; "session:7", the name or the key of a
 *		session of the service; NULL = all
 * @word:	"status"; "show" = who they are only, which older versions of ktraced know, too
 *
 * Recordings that do not answer delay the call by ten seconds in total.
 *
 * Return: 0, also if there is none; -ENOMEM.
 */
int ktrace_live_find(struct ktrace_live_list **list, const char *name, const char *word);

struct ktrace_port;

/**
 * ktrace_live_open - a list of one recording whose port is known
 * @list:	out: it, to be freed with ktrace_live_free()
 * @port:	its port
 *
 * Sends nothing. Return: 0; -ENOMEM.
 */
int ktrace_live_open(struct ktrace_live_list **list, const struct ktrace_port *port);

/** ktrace_live_free - free the list, and all that was returned from it; @list may be NULL */
void ktrace_live_free(struct ktrace_live_list *list);

/** ktrace_live_nr - number of recordings in the list */
size_t ktrace_live_nr(const struct ktrace_live_list *list);

/** ktrace_live_at - recording @i of the list, NULL after the last one */
struct ktrace_live *ktrace_live_at(struct ktrace_live_list *list, size_t i);

/**
 * ktrace_live_silent - number of recordings that did not answer
 *
 * The list has at most eight of them.
 */
size_t ktrace_live_silent(const struct ktrace_live_list *list);

/** ktrace_live_is_others - true if the name belongs to a recording of another user */
bool ktrace_live_is_others(const struct ktrace_live_list *list);

/** ktrace_live_kind - what kind of recording it is */
enum ktrace_live_kind ktrace_live_kind(const struct ktrace_live *r);

/**
 * ktrace_live_name - a name for ktrace_live_find()
 *
 * Return: the pid of ktraced; "session:7"; 16 hexadecimal digits, if several services have a
 * session of that number.
 */
const char *ktrace_live_name(const struct ktrace_live *r);

/** ktrace_live_pid - process that records */
__u32 ktrace_live_pid(const struct ktrace_live *r);

/**
 * ktrace_live_error - result of the last message to the recording
 *
 * Return: 0; -EREMOTEIO: refused, see ktrace_live_reason(); -ECONNREFUSED: it is gone; -ETIMEDOUT:
 * no answer within ten seconds; -EPROTO: an answer in words not known here; -E2BIG: the message is
 * too long; -errno.
 */
int ktrace_live_error(const struct ktrace_live *r);

/** ktrace_live_reason - why the last message was refused; NULL: it was not */
const char *ktrace_live_reason(const struct ktrace_live *r);

/**
 * ktrace_live_text - a value of the last answer
 * @r:		the recording
 * @key:	one of <ktrace/port.h>: "file", "events", ...
 *
 * Return: the value, valid until the next message to the recording; NULL: it has none.
 */
const char *ktrace_live_text(const struct ktrace_live *r, const char *key);

/** ktrace_live_number - a number of the last answer: "bytes_s", ...; false: it has none */
bool ktrace_live_number(const struct ktrace_live *r, const char *key, __u64 *value);

/**
 * ktrace_live_loss - a reason for losses
 * @r:		the recording
 * @i:		which, from 0
 * @nr:		out: how many were lost for this reason
 *
 * Return: its name, NULL after the last one. Only reasons that occurred are listed.
 */
const char *ktrace_live_loss(const struct ktrace_live *r, size_t i, __u64 *nr);

/**
 * ktrace_live_ask - send any message of <ktrace/port.h>
 * @r:		the recording
 * @text:	the message
 *
 * Return: as ktrace_live_error().
 */
int ktrace_live_ask(struct ktrace_live *r, const char *text);

/** ktrace_live_status - ask again how it goes; returns as ktrace_live_error(), like all below */
int ktrace_live_status(struct ktrace_live *r);

/** ktrace_live_pause - record nothing but marks from now on */
int ktrace_live_pause(struct ktrace_live *r);

/** ktrace_live_resume - record again what was recorded before the pause */
int ktrace_live_resume(struct ktrace_live *r);

/** ktrace_live_enable - add events, or switch on data sources of a session: a list with commas */
int ktrace_live_enable(struct ktrace_live *r, const char *events);

/** ktrace_live_disable - remove events, or switch off data sources of a session */
int ktrace_live_disable(struct ktrace_live *r, const char *events);

/** ktrace_live_rotate - end the current file and go on with the next one */
int ktrace_live_rotate(struct ktrace_live *r);

/**
 * ktrace_live_mark - write an event ktrace:mark with @text
 *
 * Into a recording of ktraced, a program that is installed with the library writes it, as a child
 * of the caller. Returns -ENOENT if that program is missing.
 */
int ktrace_live_mark(struct ktrace_live *r, const char *text);

/**
 * ktrace_live_stop - end the recording, and wait until its file is whole
 *
 * Does not wait for the file of another user's ktraced. Waits as long as a service does not answer.
 */
int ktrace_live_stop(struct ktrace_live *r);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
