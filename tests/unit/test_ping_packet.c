// SPDX-License-Identifier: GPL-2.0
/* test_ping_packet.c - datagrams of pings, and names of hosts; they may be forged */
#include "../../userspace/daemon/clocks/ping.c"
#include "../../userspace/daemon/clocks/ping_packet.c"
#include "check.h"

#define BOOT "5ae06d3a-abb8-4500-a6c0-00cc186401c9"

static struct ping_packet sample(void)
{
	struct ping_packet p = {
		.kind = PING_ANSWER, .clock = PING_MONOTONIC, .nonce = 0x1122334455667788,
		.first = { 1, 2 }, .second = { ~0ull, 1ull << 63 }, .token = 5,
	};

	CHECK(ping_boot_read(BOOT, p.boot));
	return p;
}

static void test_round_trip(void)
{
	struct ping_packet p = sample(), q;
	__u8 data[PING_SIZE];
	char boot[PING_BOOT_TEXT];

	ping_packet_write(&p, data);
	/* Big endian at the documented places */
	CHECK(!memcmp(data, "KTPG\1\2\2\0\x11\x22\x33\x44\x55\x66\x77\x88\x5a\xe0", 18));
	CHECK(data[39] == 1 && data[47] == 2 && data[48] == 0xff && data[56] == 0x80);
	CHECK(data[71] == 5);
	CHECK(ping_packet_read(&q, data, sizeof(data)));
	CHECK(q.kind == p.kind && q.clock == p.clock && q.nonce == p.nonce && q.token == p.token);
	CHECK(!memcmp(&q.first, &p.first, sizeof(p.first)) &&
	      !memcmp(&q.second, &p.second, sizeof(p.second)));
	ping_boot_write(q.boot, boot);
	CHECK_STR(boot, BOOT);
}

/* Another size, and each changed byte of the fixed ones, is refused. */
static void test_forged(void)
{
	const struct ping_packet p = sample();
	__u8 data[PING_SIZE + 1] = { 0 };
	struct ping_packet q;

	ping_packet_write(&p, data);
	for (size_t size = 0; size <= sizeof(data); size++)
		CHECK_EQ(ping_packet_read(&q, data, size), size == PING_SIZE);
	for (size_t i = 0; i < PING_SIZE; i++) {
		const bool is_fixed = i < 5 || i == 7 || i >= 72;
		const __u8 old = data[i];

		data[i] = 0x77;
		CHECK_EQ(ping_packet_read(&q, data, PING_SIZE), !is_fixed && i != 5 && i != 6);
		data[i] = old;
	}
}

static void test_boot(void)
{
	static const char *const bad[] = {
		"", "5ae06d3a", BOOT "0", "5AE06D3A-abb8-4500-a6c0-00cc186401c9",
		"5ae06d3a-abb8-4500-a6c0-00cc186401c", "5ae06d3aaabb8-4500-a6c0-00cc186401c9",
		"5ae06d3a-abb8-4500-a6c0-00cc186401cx",
	};
	__u8 boot[PING_BOOT_SIZE];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!ping_boot_read(bad[i], boot));
}

static void check_split(const char *text, bool is_local, const char *host, const char *port)
{
	char h[32], p[32];
	const bool is_good = ping_split(text, is_local, h, p, sizeof(h));

	CHECK_EQ(is_good, host != NULL);
	if (host) {
		CHECK_STR(h, host);
		CHECK_STR(p, port);
	}
}

static void test_split(void)
{
	check_split("a", false, "a", PING_PORT_DEFAULT);
	check_split("a.example:5", false, "a.example", "5");
	check_split("::1", false, "::1", PING_PORT_DEFAULT);
	check_split("[::1]", false, "::1", PING_PORT_DEFAULT);
	check_split("[fe80::1%eth0]:99", false, "fe80::1%eth0", "99");
	check_split("47824", false, "47824", PING_PORT_DEFAULT);
	check_split("99", true, "", "99");
	check_split("127.0.0.1:99", true, "127.0.0.1", "99");
	check_split("[::]:99", true, "::", "99");
	check_split("", false, NULL, NULL);
	check_split(":5", false, NULL, NULL);
	check_split("a:", false, NULL, NULL);
	check_split("a:b", false, NULL, NULL);
	check_split("a:123456", false, NULL, NULL);
	check_split("[::1", false, NULL, NULL);
	check_split("[::1]x", false, NULL, NULL);
	check_split("[]", false, NULL, NULL);
	check_split("0123456789012345678901234567890123456789", false, NULL, NULL);
	check_split("127.0.0.1", true, NULL, NULL);
	check_split("[::1]", true, NULL, NULL);
	check_split("", true, NULL, NULL);
}

/* What contradicts itself is not written. */
static void test_put(void)
{
	struct ktrace_text t = { 0 };
	struct ping_packet p = sample();
	const struct ping_self self = { .meta = &t };
	struct ping_exchange e = {
		.peer = "a b", .boot = p.boot, .clock = PING_TSC,
		.sent = { 10, 0 }, .received_there = { 2, 3 }, .sent_there = { 4, 5 },
		.received = { 20, 0 },
	};

	CHECK(ping_put(&self, &e));
	CHECK_STR(t.buf, "ping ts=20 peer_boot=" BOOT " peer=a%20b peer_clock=tsc sent=10 "
		  "received_there=2 sent_there=4 received=20 received_there_ns=3 sent_there_ns=5");
	t.len = 0;
	e.sent.raw = 30;
	CHECK(!ping_put(&self, &e) && !t.len);
	e.received_there.raw = 5;
	CHECK(ping_put(&self, &e) && t.len);
	t.len = 0;
	e.sent.raw = 0;
	CHECK(!ping_put(&self, &e) && !t.len);
	ktrace_text_free(&t);
}

int main(void)
{
	test_round_trip();
	test_forged();
	test_boot();
	test_split();
	test_put();
	CHECK(ping_random() != ping_random());
	return 0;
}
