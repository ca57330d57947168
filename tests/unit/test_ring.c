// SPDX-License-Identifier: GPL-2.0
/* test_ring.c - the KUnit suite of the ring as a program, under sanitizers */
#include "../kunit/ring_kunit.c"
