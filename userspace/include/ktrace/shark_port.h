/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * shark_port.h - how the S.Ha.R.K. library hands a chunk of a program to ktraced
 *
 * ktraced listens at a socket of type SOCK_SEQPACKET in the name space that needs no file,
 * called KTRACE_SHARK_PORT and what KTRACE_SESSION says. A request is one struct
 * ktrace_shark_request, and with it (SCM_RIGHTS) one descriptor of memfd_create(2) that has
 * the chunk's bytes. The answer is one struct ktrace_shark_answer, sent when the data is out:
 * in the file and on the disk, or all packets given to the network. The chunk is to stay as it
 * is until then. Several requests may follow each other on one connection, each when the one
 * before is answered; several threads take a connection each. If the connection ends without
 * an answer, ktraced is gone, and nothing is said of the chunk. A program that dies before the
 * answer loses nothing of what it has asked for.
 *
 * Trust: ktraced serves its own user and root, as the kernel names them (SO_PEERCRED), and closes
 * the connection of others; the program checks in the same way that it speaks to its own user
 * or root.
 * Each word of a request is checked; what is reserved must be 0.
 *
 * Nothing here needs a library, so both sides can use it.
 */
#ifndef KTRACE_SHARK_PORT_H
#define KTRACE_SHARK_PORT_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>

/* Behind a NUL, in front of the value of KTRACE_SESSION */
#define KTRACE_SHARK_PORT "ktraced-shark/"

/* Base name of files, with its NUL */
#define KTRACE_SHARK_NAME 64
/* Address as text, with its NUL: "192.0.2.1", "192.0.2.1:20000", "2001:db8::1", "[...]:20000" */
#define KTRACE_SHARK_TARGET 64

/** ktrace_shark_name_is_fit - letters, digits and _ . - + only, no . at the beginning */
static inline bool ktrace_shark_name_is_fit(const char *name)
{
	static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.-+";
	const size_t len = strnlen(name, KTRACE_SHARK_NAME);

	return len && len < KTRACE_SHARK_NAME && *name != '.' && strspn(name, fit) == len;
}

enum ktrace_shark_sender {
	KTRACE_SHARK_DISK = 1,	/* as FTrace_init_disk_writer() */
	KTRACE_SHARK_UDP = 2,	/* as FTrace_OSD_init_udp() */
};

#define KTRACE_SHARK_REQUEST_MAGIC 0x4b545351u

/**
 * struct ktrace_shark_request - send a chunk
 * @magic:	KTRACE_SHARK_REQUEST_MAGIC
 * @size:	sizeof(struct ktrace_shark_request)
 * @sender:	enum ktrace_shark_sender
 * @chunk:	its number, 0 to 255: "<chunk><name>" is the file
 * @offset:	of its first byte in the descriptor's memory
 * @bytes:	how many: slots of 16 bytes, normal and emergency area in a row, oldest event
 *		first; or zstd frames if it is compressed: the content of a file as in
 *		<linux/ktrace_shark.h>, but that slots with code 0 are left out by ktraced
 * @name:	DISK: base name of the file, "" = what ktraced was told
 * @local:	UDP: address to send from, "" = any. From port 20000, or the one it names, if
 *		that is free
 * @target:	UDP: address to send to, "" = what ktraced was told
 */
struct ktrace_shark_request {
	__u32 magic;
	__u32 size;
	__u32 sender;
	__u32 chunk;
	__u64 offset;
	__u64 bytes;
	char name[KTRACE_SHARK_NAME];
	char local[KTRACE_SHARK_TARGET];
	char target[KTRACE_SHARK_TARGET];
};

/**
 * struct ktrace_shark_answer - what became of it
 * @error:	0 all is out; or -errno: nothing of it is in the file, though packets that went
 *		out before cannot be called back
 * @events:	how many were sent
 */
struct ktrace_shark_answer {
	__s32 error;
	__u32 events;
};

#endif
