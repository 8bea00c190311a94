/*
 * What the allocator cannot know: that much is coming, and that what was freed in the middle of the
 * heap is not needed again (memory.h).
 */
#include "base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define START_BYTES (4 * 1024 * 1024) // of the heap of a thread

void memory_expect_much(void)
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, START_BYTES);
#endif
}

void memory_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
