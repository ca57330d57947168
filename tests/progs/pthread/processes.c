// SPDX-License-Identifier: GPL-2.0
/*
 * processes.c - fork() while another thread has a lock and waits; exec; a plug-in; constructors
 *
 * usage: processes PLUGIN. A constructor makes a thread before main(), the plug-in's one does
 * when it is loaded. The child of the fork has threads of its own, then becomes this program
 * again, with an argument less.
 */
#include <dlfcn.h>
#include <sys/wait.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct sleeper sleeper;
static int is_over;

static void *early(void *arg)
{
	*(int *)arg = 1;
	return NULL;
}

static __attribute__((constructor(102))) void construct(void)
{
	int is_done = 0;
	pthread_t t;

	if (pthread_create(&t, NULL, early, &is_done) || pthread_join(t, NULL))
		_exit(99);
	printf("before main: %d\n", is_done);
	fflush(stdout);
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&mutex);
	will_sleep(&sleeper);
	while (!is_over)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static int child(char **argv)
{
	int is_done = 0;
	pthread_t t;

	SAY(pthread_create(&t, NULL, early, &is_done));
	SAY(pthread_join(t, NULL));
	SAY(pthread_mutex_trylock(&mutex));
	printf("in the child: %d\n", is_done);
	fflush(stdout);
	argv[1] = NULL;
	execv("/proc/self/exe", argv);
	return 1;
}

int main(int argc, char **argv)
{
	int status = -1;
	void *plugin;
	pid_t pid;

	if (argc < 2)
		return 5;
	plugin = dlopen(argv[1], RTLD_NOW);
	printf("plug-in: %d\n", plugin && *(int *)dlsym(plugin, "plugin_is_done"));
	if (plugin)
		dlclose(plugin);
	pthread_create(&sleeper.thread, NULL, waiter, NULL);
	until_asleep(&sleeper);
	fflush(stdout);
	pthread_mutex_lock(&mutex);
	pid = fork();
	if (!pid)
		return child(argv);
	is_over = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(sleeper.thread, NULL);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
