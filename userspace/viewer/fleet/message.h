/* SPDX-License-Identifier: GPL-2.0 */
/*
 * message.h - what a host and a store say to each other about a part of a recording
 *
 * Documentation/fleet.md is the protocol's specification.
 */
#ifndef VIEWER_FLEET_MESSAGE_H
#define VIEWER_FLEET_MESSAGE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of a file in one message; all pieces but the last have this size. */
#define MESSAGE_PIECE (256u << 10)
/* Longest file: a part is at most as large as ktraced --split-size permits, and a bit more. */
#define MESSAGE_FILE_MAX (1ull << 42)
/* Size of a text that describes a part, and of the other texts made from it */
#define MESSAGE_TEXT_MAX 512
/* Longest name of a host, with each byte that is encoded as three */
#define MESSAGE_HOST_MAX 200

/* Headers of a message */
#define MESSAGE_HEADER_PART "Ktrace-Part"
#define MESSAGE_HEADER_OFFSET "Ktrace-Offset"
#define MESSAGE_HEADER_RAW "Ktrace-Raw"

/**
 * struct message_part - a complete file of a recording
 * @host:	name of the host; bytes other than letters, digits, - and _ are %XX
 * @boot:	its boot id
 * @uuid:	of the recording, 32 hexadecimal digits
 * @number:	of the part, 0 = the file is the whole recording
 * @start_ns:	start of the recording, since the epoch
 * @size:	bytes of the file
 * @crc:	CRC-32 of the file
 */
struct message_part {
	char host[MESSAGE_HOST_MAX + 1];
	char boot[37];
	char uuid[33];
	__u32 number;
	__u64 start_ns;
	__u64 size;
	__u32 crc;
};

/* Encodes the name of a host. Returns false if it is empty or too long. */
bool message_host(char host[MESSAGE_HOST_MAX + 1], const char *name);
/* Writes and parses "host=... boot=... uuid=... part=... start=... size=... crc=...". */
void message_put(char text[MESSAGE_TEXT_MAX], const struct message_part *p);
/* Trusts nothing: returns false if anything is not as message_put() writes it. */
bool message_parse(const char *text, struct message_part *p);
/*
 * Subject of the messages with @p, and the id of the one with piece number @piece: HOST.BOOT.UUID.
 * PART.PIECE. @attempt: not 0 if the store did not get it by that id
 */
void message_subject(char text[MESSAGE_TEXT_MAX], const char *stream, const struct message_part *p);
void message_id(char text[MESSAGE_TEXT_MAX], const struct message_part *p, __u64 piece,
		unsigned int attempt);
/* Name of the host's folder in a store: dots are dots, except one at the beginning */
void message_folder(char folder[MESSAGE_HOST_MAX + 1], const char *host);
/* What begins a place for answers of the client library */
#define MESSAGE_INBOX "_INBOX."
/* True if @reply is such a place; NULL is none. */
bool message_is_inbox(const char *reply);
/* True if message_host() can have written it. */
bool message_is_host(const char *text);
/* Path below the store's folder: "HOST/BOOT/20260131T225959Z-UUID.0001.bin" */
void message_path(char text[MESSAGE_TEXT_MAX], const struct message_part *p);
/* Path of the part with another number */
void message_path_of(char text[MESSAGE_TEXT_MAX], const struct message_part *p, __u32 number);

/*
 * Reads a whole file: its size and CRC-32. @fd is at any position. Return: 0 or -errno, -EFBIG for
 * one above MESSAGE_FILE_MAX.
 */
int message_checksum(int fd, __u64 *size, __u32 *crc);
/*
 * Describes a complete tracefile. Return: 0; -EAGAIN: it has no end mark; -EBADMSG: it lacks what
 * describes it, or is no tracefile; -errno.
 */
int message_describe(const char *path, struct message_part *p);
/* The same without the checksum, for which the whole file is read */
int message_identify(const char *path, struct message_part *p);

#endif
