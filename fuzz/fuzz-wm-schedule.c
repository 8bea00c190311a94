/*
 * Fuzz target: a schedule in words; the first line is the task's path. A cron that comes out is one
 * whatever blanks were in it, holds only what may be written into a workflow, and stays what it is.
 */
#include "wm/task/schedule.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char allowed[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*/,- ";
    g_autofree char *text = g_strndup((const char *)data, size);
    char *words = strchr(text, '\n');
    if (!words)
        return 0;
    *words++ = '\0';
    g_autofree char *cron = wm_schedule_normalize(words, text);
    if (!wm_schedule_is_cron(cron))
        return 0;
    g_autofree char *plain = wm_schedule_collapse(cron);
    g_assert(strspn(plain, allowed) == strlen(plain) && wm_schedule_is_cron(plain));
    g_autofree char *again = wm_schedule_normalize(plain, text);
    g_assert(strcmp(again, plain) == 0);
    return 0;
}
