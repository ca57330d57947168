// SPDX-License-Identifier: GPL-2.0
/* host.c - a program without libktrace, whose threads use and unload plug-ins that have it */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *use(void *file)
{
	void (*use_it)(unsigned int writer, uint64_t seq);
	void *plugin = dlopen(file, RTLD_NOW);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return NULL;
	}
	*(void **)&use_it = dlsym(plugin, "plugin_use");
	use_it(0, 0);
	dlclose(plugin);
	return file;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *result;

	if (argc != 2 || pthread_create(&thread, NULL, use, argv[1]))
		return 2;
	pthread_join(thread, &result);
	puts("wrote 0 1 1");
	return !result;
}
