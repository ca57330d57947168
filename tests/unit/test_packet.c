// SPDX-License-Identifier: GPL-2.0
/*
 * test_packet.c - chunks as datagrams, byte by byte, and the names of their files
 *
 * SHK-41, SHK-42. On the loopback, between ports that the kernel chooses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <ktrace/packet.h>
#include <linux/ktrace_shark.h>

#include "check.h"

static void test_bytes(void)
{
	static const unsigned char header[24] =
		"TRACER-V1.0\0" "\x02\x01\0\0" "\2\0\0\0" "\x38\0\0";
	const struct ktrace_shark_event events[2] = { { 0x09, 1, 2, 3, 4 }, { 0x19, 5, 6, 7, 8 } };
	unsigned char packet[KTRACE_PACKET_SIZE];

	CHECK_EQ(ktrace_packet_fill(packet, 0x102, events, 2), 24 + 32);
	CHECK(!memcmp(packet, header, sizeof(header)));
	CHECK(!memcmp(packet + 24, "\x09\0\1\0" "\2\0\0\0" "\3\0\0\0" "\4\0\0\0", 16));
	CHECK(!memcmp(packet + 40, "\x19\0\5\0" "\6\0\0\0" "\7\0\0\0" "\x08\0\0\0", 16));
}

/* An IPv4 socket on the loopback, and its address as text. */
static int listen_at(char address[32])
{
	struct sockaddr_in any = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(any);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&any, size));
	CHECK(!getsockname(fd, (struct sockaddr *)&any, &size));
	snprintf(address, 32, "127.0.0.1:%u", ntohs(any.sin_port));
	return fd;
}

/* 125 events: 60, 60, 5; and numbers go on with the next chunk. */
static void test_packets(void)
{
	static const unsigned int expected[] = { 60, 60, 5, 1 };
	struct ktrace_shark_event events[125];
	char packet[2000], address[32];
	struct ktrace_shark_packet header;
	int to = listen_at(address), from = ktrace_packet_socket("127.0.0.1:0", address);
	unsigned int at = 0;
	__u32 number = 0;

	for (unsigned int i = 0; i < 125; i++)
		events[i] = (struct ktrace_shark_event) { 0x09, (__u16)i, 0, i, ~i };
	CHECK(from >= 0);
	CHECK_EQ(ktrace_packet_send(from, &number, events, 125), 0);
	CHECK_EQ(ktrace_packet_send(from, &number, events, 1), 0);
	CHECK_EQ(number, 4);
	for (unsigned int i = 0; i < 4; i++) {
		ssize_t n = recv(to, packet, sizeof(packet), 0);

		memcpy(&header, packet, sizeof(header));
		CHECK_EQ(header.number, i + 1);
		CHECK_EQ(header.events, expected[i]);
		CHECK_EQ(header.size, n);
		CHECK_EQ(n, 24 + 16 * expected[i]);
		CHECK(n < KTRACE_SHARK_PACKET_MAX);
		CHECK(!memcmp(packet + 24, events + (i < 3 ? at : 0), 16 * expected[i]));
		at += expected[i];
	}
	CHECK_EQ(ktrace_packet_send(from, &number, events, 0), 0);
	CHECK_EQ(number, 4);
	close(from);
	close(to);
}

/* The sender does not learn whether anybody listens, and a chunk sent to nobody is sent. */
static void test_nobody(void)
{
	const struct ktrace_shark_event event = { 0x09, 0, 0, 0, 0 };
	char address[32];
	int from;
	__u32 number = 7;

	close(listen_at(address));
	from = ktrace_packet_socket(NULL, address);
	if (from == -EADDRINUSE)	/* port 20000 is somebody else's */
		from = ktrace_packet_socket(":0", address);
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(ktrace_packet_send(from, &number, &event, 1), 0);
	CHECK_EQ(number, 11);
	close(from);
}

static void test_addresses(void)
{
	static const char *const bad[] = {
		"", ":4000", "localhost", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
		"127.0.0.1:123456", "[::1", "[::1]4000", "[::1]:", "1.2.3.4.5", "256.0.0.1",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
	};
	char address[32];
	int fd;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(ktrace_packet_socket(":0", bad[i]), -EINVAL);
	CHECK_EQ(ktrace_packet_socket(":0", NULL), -EINVAL);
	CHECK_EQ(ktrace_packet_socket("::1", "127.0.0.1"), -EINVAL);
	CHECK_EQ(ktrace_packet_socket("nowhere", "127.0.0.1"), -EINVAL);
	fd = listen_at(address);
	CHECK_EQ(ktrace_packet_socket(address, "127.0.0.1:1"), -EADDRINUSE);
	close(fd);
	/* Nobody receives what is sent to oneself. */
	CHECK_EQ(ktrace_packet_socket(address, address), -EADDRINUSE);
	CHECK_EQ(ktrace_packet_socket(strchr(address, ':'), address), -EADDRINUSE);
}

static void test_names(void)
{
	char name[16];

	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 0, "trace"), 0);
	CHECK_STR(name, "0trace");
	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 255, "/tmp/t"), 0);
	CHECK_STR(name, "/tmp/255t");
	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 255, "0123456789ab"), 0);
	CHECK_STR(name, "2550123456789ab");
	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 255, "0123456789abc"), -ENAMETOOLONG);
	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 0, ""), -EINVAL);
	CHECK_EQ(ktrace_chunk_file_name(name, sizeof(name), 0, "folder/"), -EINVAL);
}

int main(void)
{
	test_bytes();
	test_packets();
	test_nobody();
	test_addresses();
	test_names();
	return 0;
}
