/*
 * Secrets in URLs (url_secrets.h). A text is searched for what looks like a URL, whatever the
 * format around it: a configuration holds them as values, in section names and in what it calls
 * includes.
 */
#include "base/url_secrets.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/git_dir.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/secrets.h"
#include "base/str.h"

#include <string.h>

enum { MIN_TOKEN_BYTES = 16, MAX_URLS = 256 };

/* `https://TOKEN@host`, `https://TOKEN:x-oauth-basic@host`: letters and digits, as no name has
 * them. */
static bool is_token(const char *user)
{
    bool has_digit = false, has_letter = false;
    for (const char *c = user; *c; c++) {
        has_digit = has_digit || g_ascii_isdigit(*c);
        has_letter = has_letter || g_ascii_isalpha(*c);
        if (!g_ascii_isalnum(*c) && *c != '_' && *c != '-')
            return false;
    }
    return has_digit && has_letter && strlen(user) >= MIN_TOKEN_BYTES;
}

/* As it is written and as it is meant. */
static void register_value(const char *written)
{
    secrets_register(written);
    g_autofree char *meant = g_uri_unescape_string(written, NULL);
    if (meant && strcmp(meant, written) != 0)
        secrets_register(meant);
}

static void register_user_info(const char *info, size_t size)
{
    g_autofree char *user = g_strndup(info, size);
    char *password = strchr(user, ':');
    if (password)
        *password++ = '\0';
    if (password && *password && strcmp(password, "x-oauth-basic") != 0)
        register_value(password);
    if (is_token(user))
        register_value(user);
    explicit_bzero(user, size);
}

void url_secrets_register(const char *text)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, "://")) && count < MAX_URLS; count++) {
        at += strlen("://");
        size_t size = strcspn(at, "/?#\"'<>\\ \t\r\n");
        const char *end = g_strrstr_len(at, (gssize)size, "@");
        if (end)
            register_user_info(at, (size_t)(end - at));
        at += size;
    }
}

static void take_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    if (!file_read(path, LIMIT_GIT_CONFIG_BYTES, &text, &size, NULL))
        return;
    url_secrets_register(text);
    explicit_bzero(text, size);
    g_free(text);
}

/* The one line of a file with which git says where to look. Caller frees; NULL: none. */
static char *pointed_to(const char *dir, const char *name, const char *prefix)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *text = NULL;
    if (!file_read(path, LIMIT_GIT_CONFIG_BYTES, &text, NULL, NULL) ||
        !str_has_prefix(text, prefix))
        return NULL;
    return path_absolute(g_strstrip(text + strlen(prefix)), dir);
}

static void take_repository(const char *root)
{
    g_autofree char *pointed = pointed_to(root, ".git", "gitdir: ");
    g_autofree char *git_dir = pointed ? g_strdup(pointed) : g_build_filename(root, ".git", NULL);
    g_autofree char *common = pointed ? pointed_to(git_dir, "commondir", "") : NULL;
    g_autofree char *config = g_build_filename(common ? common : git_dir, "config", NULL);
    g_autofree char *own = g_build_filename(git_dir, "config.worktree", NULL);
    take_file(config);
    take_file(own);
}

void url_secrets_take(const char *cwd)
{
    g_autofree char *root = git_dir_marked(cwd);
    if (root)
        take_repository(root);
    g_autofree char *home = dirs_home();
    g_autofree char *user = g_build_filename(home, ".gitconfig", NULL);
    g_autofree char *xdg = g_build_filename(home, ".config", "git", "config", NULL);
    take_file(user);
    take_file(xdg);
}
