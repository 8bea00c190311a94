/* See wm_pin.h. */
#include "cmd/wm/wm_pin.h"

#include "base/limits.h"
#include "base/yaml_edit.h"
#include "cmd/wm/build_commit.h"
#include "wm/compile/caller_values.h"
#include "wm/task/repo_file.h"
#include "wm/task/wm_log.h"

#include <string.h>

#define COMMIT_DIGITS 40

void wm_pin_clear(WmPin *self)
{
    g_clear_pointer(&self->commit, g_free);
    g_clear_pointer(&self->version, g_free);
}

bool wm_pin_is_commit(const char *ref)
{
    return strlen(ref) == COMMIT_DIGITS && strspn(ref, "0123456789abcdef") == COMMIT_DIGITS;
}

void wm_pin_parse(const char *build, const char *version, WmPin *ret_pin)
{
    g_auto(GStrv) words = g_strsplit(build, " ", 2);
    *ret_pin = (WmPin) { 0 };
    if (!words[0] || !wm_pin_is_commit(words[0]))
        return;
    bool is_release = words[1] && words[1][0] == 'v' && strcmp(words[1] + 1, version) == 0;
    ret_pin->commit = g_strdup(words[0]);
    ret_pin->version = is_release ? g_strdup(words[1]) : NULL;
}

void wm_pin_of_build(WmPin *ret_pin)
{
    wm_pin_parse(BUILD_COMMIT, KEDGE_VERSION, ret_pin);
}

static bool set_key(const char *key, const char *value, char **text, GError **error)
{
    const char *const path[] = { "workflow", key, NULL };
    char *changed = NULL;
    g_autoptr(json_t) json = value ? json_text(value) : NULL;
    if (!value)
        return true;
    if (!yaml_edit(*text, strlen(*text), WM_CONFIG_PATH, path, json, &changed, error))
        return false;
    g_free(*text);
    *text = changed;
    return true;
}

bool wm_pin_text(const WmPin *self, const char *config, char **ret_text, GError **error)
{
    g_autofree char *text = g_strdup(config);
    if (!set_key("reusable_ref", self->commit, &text, error) ||
        !set_key("kedge_version", self->version, &text, error))
        return false;
    *ret_text = g_steal_pointer(&text);
    return true;
}

bool wm_pin_write(const WmPin *self, GError **error)
{
    g_autofree char *before = NULL, *after = NULL;
    return wm_repo_file_read(".", WM_CONFIG_PATH, LIMIT_CONFIG_FILE_BYTES, &before, error) &&
           wm_pin_text(self, before ? before : "", &after, error) &&
           wm_repo_file_write(".", WM_CONFIG_PATH, after, NULL, error);
}

void wm_pin_say(void)
{
    g_autoptr(WmConfig) config = NULL;
    g_autofree char *repository = NULL, *ref = NULL;
    if (!wm_config_read(".", NULL, &config, NULL) ||
        !wm_caller_repository(config, NULL, &repository, &ref, NULL))
        return; // compile has said it
    bool has_commit = wm_pin_is_commit(ref);
    bool has_version = config->kedge_version[0] != '\0' || !wm_caller_installs_release(config);
    if (has_commit && has_version)
        wm_say("Its workflows are those of %s at %s; kedge wm upgrade --pin moves that.",
               repository, ref);
    else
        wm_say("Not pinned: %s%s%s%s%s, in a job that writes. To pin it: kedge wm upgrade --pin",
               has_commit ? "" : "the workflows of ", has_commit ? "" : repository,
               has_commit ? "" : " are called at ", has_commit ? "" : ref,
               has_version  ? ""
               : has_commit ? "the newest release of kedge is installed"
                            : ", and the newest release is installed");
}
