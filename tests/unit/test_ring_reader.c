// SPDX-License-Identifier: GPL-2.0
/* test_ring_reader.c - the KUnit suite of the ring's reader as a program, under sanitizers */
#include "../kunit/ring_fixture.c"
#include "../kunit/reader_kunit.c"
