// SPDX-License-Identifier: GPL-2.0
/* versions.c - condition variables of both versions, as programs of 2002 and of today ask for */
#include "common.h"
#include "../../arch/arch.h"

#ifdef ARCH_OLD_COND
/* The first ones: the object is a pointer to what init or the first use allocates. */
int old_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int old_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int old_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int old_signal(pthread_cond_t *cond);
int old_broadcast(pthread_cond_t *cond);
int old_destroy(pthread_cond_t *cond);
__asm__(".symver old_init, pthread_cond_init@" ARCH_OLD_COND);
__asm__(".symver old_wait, pthread_cond_wait@" ARCH_OLD_COND);
__asm__(".symver old_timedwait, pthread_cond_timedwait@" ARCH_OLD_COND);
__asm__(".symver old_signal, pthread_cond_signal@" ARCH_OLD_COND);
__asm__(".symver old_broadcast, pthread_cond_broadcast@" ARCH_OLD_COND);
__asm__(".symver old_destroy, pthread_cond_destroy@" ARCH_OLD_COND);
#else
#define old_init pthread_cond_init
#define old_wait pthread_cond_wait
#define old_timedwait pthread_cond_timedwait
#define old_signal pthread_cond_signal
#define old_broadcast pthread_cond_broadcast
#define old_destroy pthread_cond_destroy
#endif

/* What each version leaves of the object: 8 bytes of a pointer, or all of it. */
static struct {
	pthread_cond_t cond;
	char behind[8];
} old, now;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wake(void *arg)
{
	pthread_mutex_lock(&mutex);
	SAY(arg ? old_signal(&old.cond) : pthread_cond_signal(&now.cond));
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	const struct timespec past = { 1, 0 };
	pthread_t t;

	memset(&old, 0x5a, sizeof(old));
	SAY(old_init(&old.cond, NULL));
	printf("own memory only: %d\n", ((char *)&old)[sizeof(void *)] == 0x5a);
	SAY(pthread_cond_init(&now.cond, NULL));
	pthread_mutex_lock(&mutex);
	pthread_create(&t, NULL, wake, &old);
	SAY(old_wait(&old.cond, &mutex));
	pthread_join(t, NULL);
	pthread_create(&t, NULL, wake, NULL);
	SAY(pthread_cond_wait(&now.cond, &mutex));
	pthread_join(t, NULL);
	SAY(old_timedwait(&old.cond, &mutex, &past));
	SAY(old_broadcast(&old.cond));
	SAY(old_destroy(&old.cond));
	SAY(pthread_cond_destroy(&now.cond));
	return 0;
}
