/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * shark_port.h - how the S.Ha.R.K. library passes a program's chunk to ktraced
 *
 * ktraced listens on an abstract socket (which needs no file) of type SOCK_SEQPACKET, whose name is
 * KTRACE_SHARK_PORT followed by the value of KTRACE_SESSION. A request is one struct
 * ktrace_shark_request with one descriptor of memfd_create(2) (SCM_RIGHTS) that has the chunk's
 * bytes. The answer is one struct ktrace_shark_answer, sent when the data is out: in the file and
 * on the disk, or all packets given to the network. The chunk must not change until then. Requests
 * on one connection may follow each other, each after the previous answer; each thread uses its own
 * connection. If the connection ends without an answer, ktraced is gone, and the fate of the chunk
 * is unknown. A program that dies before the answer loses nothing of its request.
 *
 * Trust: ktraced serves its own user and root, as identified by the kernel (SO_PEERCRED), and
 * closes the connection of others; the program checks in the same way that it is connected to its
 * own user or root. Each word of a request is checked; reserved words must be 0.
 *
 * This header needs no library, so both sides can use it.
 */
#ifndef KTRACE_SHARK_PORT_H
#define KTRACE_SHARK_PORT_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>

/* Comes after a NUL and before the value of KTRACE_SESSION */
#define KTRACE_SHARK_PORT "ktraced-shark/"

/* Size of a file's base name, including its NUL */
#define KTRACE_SHARK_NAME 64
/*
 * Size of an address as text, with its NUL: "192.0.2.1", "192.0.2.1:20000", "2001:db8::1",
 * "[...]:20000"
 */
#define KTRACE_SHARK_TARGET 64

/** ktrace_shark_name_is_fit - true for letters, digits and _ . - + only, no leading . */
static inline bool ktrace_shark_name_is_fit(const char *name)
{
	static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.-+";
	const size_t len = strnlen(name, KTRACE_SHARK_NAME);

	return len && len < KTRACE_SHARK_NAME && *name != '.' && strspn(name, fit) == len;
}

enum ktrace_shark_sender {
	KTRACE_SHARK_DISK = 1,	/* like FTrace_init_disk_writer() */
	KTRACE_SHARK_UDP = 2,	/* like FTrace_OSD_init_udp() */
};

#define KTRACE_SHARK_REQUEST_MAGIC 0x4b545351u

/**
 * struct ktrace_shark_request - send a chunk
 * @magic:	KTRACE_SHARK_REQUEST_MAGIC
 * @size:	sizeof(struct ktrace_shark_request)
 * @sender:	enum ktrace_shark_sender
 * @chunk:	its number, 0 to 255: "<chunk><name>" is the file
 * @offset:	offset of its first byte in the descriptor's memory
 * @bytes:	number of bytes: slots of 16 bytes, normal and emergency area in a row, oldest event
 *		first; or zstd frames if it is compressed. This is the content of a file as in
 *		<linux/ktrace_shark.h>, except that ktraced skips slots with code 0
 * @name:	DISK: base name of the file, "" = the name given to ktraced
 * @local:	UDP: source address, "" = any. Uses port 20000, or the port it names, if that port
 *		is free
 * @target:	UDP: destination address, "" = the address given to ktraced
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
 * struct ktrace_shark_answer - result of a request
 * @error:	0 all data is out; or -errno: none of it is in the file, though packets may have
 *		been sent already
 * @events:	number of events sent
 */
struct ktrace_shark_answer {
	__s32 error;
	__u32 events;
};

#endif
