/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session_fixture.h - sessions for suites: made from inside, or by a descriptor of the device
 *
 * What a case has made and not ended is ended with it.
 */
#ifndef KTRACE_KUNIT_SESSION_FIXTURE_H
#define KTRACE_KUNIT_SESSION_FIXTURE_H

#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include "session.h"

/* ---- what session.c keeps to itself ---- */

/* Sessions that have not been freed. */
u32 fix_session_nr(void);
/* Memory charged to a user. */
u64 fix_user_bytes(kuid_t user);
/* Limits in MiB, until the case ends. */
void fix_set_limits(struct kunit *test, uint session_mb, uint user_mb);

/* ---- sessions from inside ---- */

struct ktrace_channel_spec fix_spec(u32 kind);
int fix_add_channel(struct kt_session *s, u32 kind);

/* A session with a kernel channel, or without channels; the caller's reference is the owner's. */
struct kt_session *fix_session(struct kunit *test, bool has_kernel);
void fix_close(struct kunit *test, struct kt_session *s);

/* The owner dies and wanted the session to be kept; then somebody becomes its new owner. */
void fix_adopt(struct kunit *test, struct kt_session *s);

/* Calls @visit for each event that is unread in the kernel channel; returns their number. */
typedef void (*fix_visit)(const struct ktrace_record *rec, const void *payload, void *arg);
u32 fix_drain(struct kunit *test, struct kt_session *s, fix_visit visit, void *arg);

/* Events lost in all rings of the kernel channel. */
u64 fix_lost(const struct kt_session *s);

/* ---- sessions by descriptor; the caller has an address space of its own then ---- */

struct file *fix_open(struct kunit *test, int flags);
/* Closes the descriptor; what that ends has ended when it returns. */
void fix_release(struct kunit *test, struct file *file);
/* An ioctl whose argument is the @size bytes at @arg. */
long fix_ioctl(struct kunit *test, struct file *file, uint cmd, void *arg, size_t size);
/* As mmap(); the address, or an error that IS_ERR_VALUE() knows. */
unsigned long fix_mmap(struct file *file, u64 off, u64 size, int prot, int flags);
/* As munmap(); what that ends has ended when it returns. */
void fix_munmap(unsigned long addr, u64 size);

/* An owner's descriptor with a channel of that kind. */
struct file *fix_owner(struct kunit *test, u32 kind, struct ktrace_channel_spec *spec);
/* A writer's, of that session. */
struct file *fix_writer(struct kunit *test, struct file *owner, struct ktrace_attach *attach);
struct ktrace_info fix_info(struct kunit *test, struct file *file);

/* ---- who calls ---- */

/* From here until the returned credentials are given back: that user, without capabilities. */
const struct cred *fix_become(struct kunit *test, uid_t uid);
void fix_unbecome(const struct cred *before);

#endif
