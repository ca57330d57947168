// SPDX-License-Identifier: GPL-2.0
/* test_ring_writer.c - the KUnit suite of the ring's writer as a program, under sanitizers */
#include "../kunit/ring_fixture.c"
#include "../kunit/writer_kunit.c"
