// SPDX-License-Identifier: GPL-2.0
/* test_shark_writer.c - the KUnit suite of S.Ha.R.K. events as a program, under sanitizers */
#include "../kunit/shark_fixture.c"
#include "../kunit/shark_writer_kunit.c"

_Thread_local struct kt_shark_pending kt_shark_pendings;
