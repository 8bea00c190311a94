/*
 * Judging files by where they really are and by what they hold (secret_file.h).
 */
#include "tools/secret_file.h"

#include "base/mask.h"
#include "base/path.h"

#include <linux/magic.h>
#include <sys/vfs.h>

/* Also of a /proc that is mounted somewhere else. */
static bool is_on_proc(const char *real)
{
    struct statfs info;
    return statfs(real, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

bool secret_file_is_proc(const char *path)
{
    g_autofree char *real = path_real(path);
    return real && is_on_proc(real);
}

bool secret_file_check(const char *path, const char *shown, GError **error)
{
    static const char *const names[] = { "environ", "mem", "kcore", NULL };
    g_autofree char *real = path_real(path);
    g_autofree char *name = real ? g_path_get_basename(real) : NULL;
    if (!real || !g_strv_contains(names, name) || !is_on_proc(real))
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "not read: %s shows the environment or the memory of a process, and so its "
                     "secrets; name the variable that you need to the user",
                     shown);
}

static size_t count_masks(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, MASK_TEXT)) != NULL) {
        count++;
        text += strlen(MASK_TEXT);
    }
    return count;
}

bool secret_file_check_masks(const char *before, size_t size, const char *after, GError **error)
{
    if (count_masks(after) <= count_masks(before) || !mask_finds(before, size))
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "The text holds " MASK_TEXT ", which stands for a masked secret; refer to it "
                     "by variable name, or leave that line unchanged.");
}
