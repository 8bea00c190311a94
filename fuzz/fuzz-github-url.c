/*
 * Addresses of GitHub items, and diffs: what is understood of an address names a repository that gh
 * cannot take for an option or a way up, and the files of a diff lie in it one after the other.
 */
#include "github/repo_ref.h"
#include "github/urls/item_images.h"
#include "github/urls/item_url.h"
#include "github/urls/pr_diff.h"
#include "github/urls/view_forget.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_url(const char *text, const Settings *settings)
{
    g_auto(ItemUrl) url = { 0 };
    g_autoptr(GError) error = NULL;
    if (!item_url_parse(text, settings, &url, &error)) {
        if (!error_is(error, KEDGE_ERROR_USAGE))
            abort();
        return;
    }
    g_auto(RepoRef) ref = { 0 };
    if (url.repo && !repo_ref_parse(url.repo, &ref))
        abort();
    if (url.view != ITEM_LIST && url.number < 1 && !url.is_current)
        abort();
    if ((url.view == ITEM_FILE || url.view == ITEM_RUN_JOB) && url.part < 1)
        abort();
    if (url.view == ITEM_LIST && (url.limit < 1 || url.limit > 100 || !url.state))
        abort();
}

static void check_diff(const char *text)
{
    g_autoptr(json_t) index = pr_diff_index(text);
    if (!pr_diff_index_fits(index, text))
        abort();
    g_autofree char *list = pr_diff_list(index, "o/r", 1);
    if (!g_utf8_validate(list, -1, NULL))
        abort();
}

/* Whatever a text names, only a plain https address of GitHub's is fetched. */
static void check_images(const char *text)
{
    g_autoptr(GPtrArray) found = item_images_find(text);
    if (found->len > ITEM_IMAGES_MAX)
        abort();
    for (unsigned i = 0; i < found->len; i++) {
        AttachmentKind kind = item_image_kind(found->pdata[i], "github.com", NULL);
        if (kind == ATTACHMENT_PRIVATE &&
            g_ascii_strncasecmp(found->pdata[i], "https://github.com", 18) != 0)
            abort();
        if (kind != ATTACHMENT_NONE && !strstr(found->pdata[i], "://"))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Settings *settings;
    if (!settings)
        settings = settings_new(NULL);
    g_autofree char *text = g_strndup((const char *)data, size);
    if (!g_utf8_validate(text, -1, NULL))
        return 0;
    check_url(text, settings);
    check_diff(text);
    check_images(text);
    g_array_unref(view_forget_shell(text, settings));
    return 0;
}
