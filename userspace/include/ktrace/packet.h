/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * packet.h - S.Ha.R.K. events as datagrams, and as files
 *
 * What ktraced and libktrace-shark do alike when a chunk is sent. A datagram has a header of
 * 24 bytes and up to 60 events of 16: <linux/ktrace_shark.h> has both. Nobody acknowledges
 * it; packets are numbered from 1 on, over all chunks of one sender, so that a receiver sees
 * what it has missed.
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
 * ktrace_packet_fill - make one datagram
 * @packet:	KTRACE_PACKET_SIZE bytes
 * @number:	its number
 * @events:	events as they are in a chunk
 * @nr:		how many there are; at most KTRACE_SHARK_PACKET_EVENTS go into the packet
 *
 * Return: its bytes.
 */
size_t ktrace_packet_fill(void *packet, __u32 number, const void *events, size_t nr);

/**
 * ktrace_packet_socket - a socket for datagrams from @local to @target
 * @local:	where from; NULL or "" is any address
 * @target:	where to
 *
 * Addresses are numbers: "192.0.2.1", "192.0.2.1:4000", "2001:db8::1", "[2001:db8::1]:4000",
 * ":4000". The port is KTRACE_SHARK_UDP_PORT if there is none, and any for @local if it is 0.
 *
 * Return: descriptor; -EINVAL for what is no address, or not one of the same kind; or -errno.
 */
int ktrace_packet_socket(const char *local, const char *target);

/**
 * ktrace_packet_listen - a socket that receives datagrams at @local
 * @local:	address as above; port 0 is any that is free
 *
 * Return: descriptor; -EINVAL for what is no address; or -errno, e.g. -EADDRINUSE.
 */
int ktrace_packet_listen(const char *local);

/**
 * ktrace_packet_send - send events as packets
 * @fd:		a connected socket
 * @number:	number of the last packet sent: counts on
 * @events:	events as they are in a chunk
 * @nr:		how many there are
 *
 * Waits KTRACE_SHARK_PACKET_PAUSE_MS after each packet. Nobody listening is no error.
 *
 * Return: 0 or -errno.
 */
int ktrace_packet_send(int fd, __u32 *number, const void *events, size_t nr);

/**
 * ktrace_chunk_file_name - the file of a chunk: its number stands before the last part of @base
 * @name:	where to put it
 * @size:	room there
 * @chunk:	number of the chunk
 * @base:	name as given to the disk sender, perhaps with folders
 *
 * Return: 0; -EINVAL if @base names no file; -ENAMETOOLONG.
 */
int ktrace_chunk_file_name(char *name, size_t size, unsigned int chunk, const char *base);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
