/*
 * What a downloaded file may be called (download_name.h): what is a plain name on every system, and
 * looks like what it is.
 */
#include "github/safe/download_name.h"

#include "base/str.h"
#include "base/visible.h"

#define PART_BYTES 80

/* CON, NUL.txt, com1.tar.gz: devices on some systems. */
static bool is_device(const char *name)
{
    static const char *const devices[] = { "con", "prn", "aux", "nul", "conin$", "conout$", NULL };
    g_autofree char *stem = g_ascii_strdown(name, (gssize)strcspn(name, "."));
    g_strchomp(stem);
    if (g_strv_contains(devices, stem))
        return true;
    bool is_port = str_has_prefix(stem, "com") || str_has_prefix(stem, "lpt");
    return is_port && strlen(stem) == 4 && g_ascii_isdigit(stem[3]);
}

static bool is_visible(const char *name)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    visible_append(shown, name);
    return strcmp(shown->str, name) == 0;
}

const char *download_name_problem(const char *name)
{
    size_t size = name ? strlen(name) : 0;
    if (size == 0)
        return "is empty";
    if (size > DOWNLOAD_NAME_BYTES)
        return "is longer than 200 bytes";
    if (!g_utf8_validate(name, (gssize)size, NULL) || !is_visible(name))
        return "has control or invisible characters";
    if (strpbrk(name, "/\\"))
        return "is a path";
    if (strpbrk(name, ":*?\"<>|"))
        return "has one of : * ? \" < > |";
    if (*name == '.' || *name == '-' || *name == '~')
        return "begins with a dot, a hyphen or a tilde";
    if (g_ascii_isspace(*name) || g_ascii_isspace(name[size - 1]) || name[size - 1] == '.')
        return "begins or ends with a blank, or ends with a dot";
    return is_device(name) ? "is that of a device" : NULL;
}

char *download_name_part(const char *prefix, const char *text)
{
    g_autofree char *escaped = g_uri_escape_string(text, NULL, false);
    bool is_dotted = *escaped == '.';
    g_autofree char *plain = g_strconcat(is_dotted ? "%2E" : "", escaped + is_dotted, NULL);
    if (strlen(plain) <= PART_BYTES)
        return g_strconcat(prefix, plain, NULL);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    return g_strdup_printf("%s%.*s-%.16s", prefix, PART_BYTES, plain, sum);
}
