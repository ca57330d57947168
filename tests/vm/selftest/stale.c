// SPDX-License-Identifier: GPL-2.0
/*
 * stale.c - does the processor run the code that lies in memory?
 *
 * PAGES pages of code, each "mov $ID, %eax; ret". Each page is called, and its bytes are read as
 * data. Where the call gives another number than memory has, the emulator has run its translation
 * of another program's page, which was in this frame before. One program is built for each ID; all
 * have their pages at the same addresses.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PAGES 256
#define PAGE_BYTES 4096
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

__asm__(".text\n"
	".balign " TEXT(PAGE_BYTES) "\n"
	"pages:\n"
	".rept " TEXT(PAGES) "\n"
	"mov $" TEXT(ID) ", %eax\n"
	"ret\n"
	".balign " TEXT(PAGE_BYTES) "\n"
	".endr\n");
extern const char pages[];

int main(void)
{
	int i, stale = 0, damaged = 0;

	for (i = 0; i < PAGES; i++) {
		const char *page = pages + i * PAGE_BYTES;
		const int got = ((int (*)(void))page)();
		int32_t there;

		memcpy(&there, page + 1, sizeof(there));
		stale += got != there;
		damaged += there != ID;
	}
	printf("program %d: %d of %d pages ran other code than lies in memory, "
	       "%d had another's\n", ID, stale, PAGES, damaged);
	return stale || damaged;
}
