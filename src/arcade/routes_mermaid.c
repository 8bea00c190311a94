/*
 * The frame in which mermaid draws (agent-tools-cli §5.4, §5.5 rule 6): one page with mermaid's
 * browser build and our few lines in it, since a frame without an origin may load nothing from
 * here.
 */
#include "arcade/assets.h"
#include "arcade/routes.h"
#include "base/dirs.h"
#include "base/file.h"

#include <sys/random.h>
#include <sys/stat.h>

#define MERMAID_BYTES ((size_t)16 * 1024 * 1024)
#define NONCE_BYTES   16

/* Ours, and no one else may change it. */
static bool is_safe(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Caller frees; NULL: it is not there, or somebody else could have put it there. */
static char *mermaid_path(void)
{
    g_autofree char *root = dirs_config_root();
    g_autofree char *folder = g_build_filename(root, "mermaid", NULL);
    g_autofree char *path = g_build_filename(folder, "mermaid.min.js", NULL);
    return is_safe(folder) && is_safe(path) ? g_steal_pointer(&path) : NULL;
}

bool route_mermaid(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_autofree char *path = mermaid_path();
    reply_json(reply, 200, json_make("available:%i", path != NULL));
    return true;
}

static bool make_nonce(char ret_nonce[2 * NONCE_BYTES + 1], GError **error)
{
    unsigned char bytes[NONCE_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return reply_fail(error, 500, "No random numbers");
    for (size_t i = 0; i < sizeof(bytes); i++)
        g_snprintf(ret_nonce + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* The text of a script element: nothing in it may end the element, or begin a comment. */
static void append_script(GString *page, const char *nonce, const char *text, size_t size)
{
    g_string_append_printf(page, "<script nonce=\"%s\">", nonce);
    GString *script = g_string_new_len(text, (gssize)size);
    g_string_replace(script, "</script", "<\\/script", 0);
    g_string_replace(script, "<!--", "<\\!--", 0);
    g_string_append_len(page, script->str, (gssize)script->len);
    g_string_free(script, TRUE);
    g_string_append(page, "</script>\n");
}

bool route_frame(ArcadeRequest *request, Db *db, ArcadeReply *reply, GError **error)
{
    g_autofree char *path = mermaid_path();
    g_autofree char *mermaid = NULL;
    size_t size = 0;
    char nonce[2 * NONCE_BYTES + 1];
    if (!path)
        return reply_fail(error, 404, "mermaid's browser build is not installed");
    if (!file_read(path, MERMAID_BYTES, &mermaid, &size, error) || !make_nonce(nonce, error))
        return false;
    const Asset *own = assets_frame();
    GString *page = g_string_new("<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">"
                                 "<title>Drawing</title><body>\n");
    append_script(page, nonce, mermaid, size);
    append_script(page, nonce, (const char *)own->data, own->size);
    g_string_append(page, "</body></html>\n");
    reply->content_security_policy = g_strdup_printf(
        "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts",
        nonce);
    size = page->len;
    reply_bytes(reply, "text/html; charset=utf-8", g_string_free(page, FALSE), size);
    return true;
}
