/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * packet.h - S.Ha.R.K. events as datagrams, and as files
 *
 * Code shared by ktraced and libktrace-shark for sending a chunk. A datagram has a header of 24
 * bytes and up to 60 events of 16 bytes, both defined in <linux/ktrace_shark.h>. There are no
 * acknowledgements. Packets are numbered from 1, across all chunks of one sender, so that a
 * receiver can tell which are missing.
 */
#ifndef KTRACE_PACKET_H
#define KTRACE_PACKET_H

#include <stddef.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Bytes of the longest datagram: KTRACE_SHARK_PACKET_EVENTS events */
#define KTRACE_PACKET_SIZE 984

/**
 * ktrace_packet_fill - build one datagram
 * @packet:	KTRACE_PACKET_SIZE bytes
 * @number:	its number
 * @events:	events in the format of a chunk
 * @nr:		number of events; at most KTRACE_SHARK_PACKET_EVENTS go into the packet
 *
 * Return: size in bytes.
 */
size_t ktrace_packet_fill(void *packet, __u32 number, const void *events, size_t nr);

/**
 * ktrace_packet_socket - create a socket for datagrams from @local to @target
 * @local:	source address; NULL or "" means any
 * @target:	destination address
 *
 * Addresses are numeric: "192.0.2.1", "192.0.2.1:4000", "2001:db8::1", "[2001:db8::1]:4000",
 * ":4000". The default port is KTRACE_SHARK_UDP_PORT; port 0 in @local means any port.
 *
 * Return: descriptor; -EINVAL for an invalid address or two of different families; or -errno.
 */
int ktrace_packet_socket(const char *local, const char *target);

/**
 * ktrace_packet_listen - create a socket that receives datagrams at @local
 * @local:	address as above; port 0 means any free port
 *
 * Return: descriptor; -EINVAL for an invalid address; or -errno, e.g. -EADDRINUSE.
 */
int ktrace_packet_listen(const char *local);

/**
 * ktrace_packet_send - send events as packets
 * @fd:		a connected socket
 * @number:	in and out: number of the last packet sent
 * @events:	events in the format of a chunk
 * @nr:		number of events
 *
 * Waits KTRACE_SHARK_PACKET_PAUSE_MS after each packet. A missing receiver is not an error.
 *
 * Return: 0 or -errno.
 */
int ktrace_packet_send(int fd, __u32 *number, const void *events, size_t nr);

/**
 * ktrace_chunk_file_name - build a chunk's file name: its number precedes the last part of @base
 * @name:	out: the file name
 * @size:	size of @name in bytes
 * @chunk:	number of the chunk
 * @base:	name given to the disk sender, possibly with folders
 *
 * Return: 0; -EINVAL if @base names no file; -ENAMETOOLONG.
 */
int ktrace_chunk_file_name(char *name, size_t size, unsigned int chunk, const char *base);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
