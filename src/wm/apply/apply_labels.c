/*
 * Labels: those that an item adds and removes, and those that must be there first (task-engine
 * §6.3, §6.7).
 */
#include "wm/apply/apply_private.h"

#include "base/str.h"

#define COLOR "ededed"

/* Case makes no difference to GitHub. */
static bool has_label(const json_t *names, const char *label)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (str_equal_nocase(json_string_value(json_array_get(names, i)), label))
            return true;
    return false;
}

bool apply_has_label(const json_t *issue, const char *label)
{
    const json_t *labels = json_get_array(issue, "labels");
    for (size_t i = 0; i < json_array_size(labels); i++)
        if (str_equal_nocase(json_get_text(json_array_get(labels, i), "name"), label))
            return true;
    return false;
}

static bool list_labels(WmApi *api, Cancel *cancel, json_t **ret_names, GError **error)
{
    g_autofree char *path = wm_path(api, "/labels");
    g_autoptr(json_t) labels = NULL;
    if (!wm_api_list(api, path, NULL, cancel, &labels, error))
        return false;
    json_t *names = json_array();
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const char *name = json_get_text(json_array_get(labels, i), "name");
        if (name)
            json_append_take(names, json_text(name));
    }
    *ret_names = names;
    return true;
}

static bool make_label(WmApi *api, const char *label, Cancel *cancel, GError **error)
{
    g_autoptr(json_t) body = json_make("name:%s color:%s", label, COLOR);
    g_autofree char *path = wm_path(api, "/labels");
    const WmCall call = { .method = "POST", .path = path, .body = body, .is_repeatable = true };
    g_autoptr(GError) failed = NULL;
    if (wm_api_call(api, &call, cancel, NULL, &failed))
        return true;
    if (wm_api_status(failed) == 422 &&
        (wm_api_says(failed, "already_exists") || wm_api_says(failed, "already exists")))
        return true; // somebody else was faster
    g_propagate_error(error, g_steal_pointer(&failed));
    g_prefix_error(error, "ensure label \"%s\": ", label);
    return false;
}

/* `names` are those that are there; what is made is added to them. */
static bool make_missing(WmApi *api, json_t *names, const json_t *labels, Cancel *cancel,
                         GError **error)
{
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (!label || has_label(names, label))
            continue;
        if (!make_label(api, label, cancel, error))
            return false;
        json_append_take(names, json_text(label));
    }
    return true;
}

bool apply_ensure_labels(Applier *self, const json_t *labels, GError **error)
{
    if (self->is_staged || json_array_size(labels) == 0)
        return true;
    WmApi *api = self->spec->api;
    if (!self->labels && !list_labels(api, self->cancel, &self->labels, error))
        return false;
    return make_missing(api, self->labels, labels, self->cancel, error);
}

bool apply_add_labels(Applier *self, GError **error)
{
    const json_t *labels = json_get_array(self->item.fields, "labels");
    if (!apply_ensure_labels(self, labels, error))
        return false;
    g_autoptr(json_t) body = json_pack("{s:O}", "labels", labels);
    g_autofree char *path = apply_path(self, "/issues/%s/labels", self->target);
    return apply_call(self, "POST", path, body, NULL, error);
}

/* A path that ends in a dot would be another one: that of all labels. */
static bool is_dots(const char *label)
{
    return strcmp(label, ".") == 0 || strcmp(label, "..") == 0;
}

bool apply_remove_labels(Applier *self, GError **error)
{
    const json_t *labels = json_get_array(self->item.fields, "labels");
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (is_dots(label))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "label \"%s\" cannot be removed by its name", label);
        g_autofree char *encoded = wm_encode(label);
        g_autofree char *path = apply_path(self, "/issues/%s/labels/%s", self->target, encoded);
        g_autoptr(GError) failed = NULL;
        if (apply_call(self, "DELETE", path, NULL, NULL, &failed) || wm_api_status(failed) == 404)
            continue; // it is not there
        return pass_error(error, &failed);
    }
    return true;
}
