/* See export.h. */
#include "export/export.h"

#include "arcade/assets.h"
#include "arcade/markdown.h"
#include "base/file.h"
#include "base/mask.h"
#include "model/message.h"

extern const Asset export_asset_files[]; // made by tools/embed

static char *page_text(const char *name)
{
    for (const Asset *asset = export_asset_files; asset->name; asset++)
        if (strcmp(asset->name, name) == 0)
            return g_strndup((const char *)asset->data, asset->size);
    g_assert_not_reached();
}

/* What Markdown gives is safe to put in; a text that is too much for it is shown as it is. */
static json_t *render(const char *text)
{
    g_autofree char *html = NULL;
    if (!text || !markdown_to_html(text, strlen(text), &html, NULL))
        return json_null();
    return json_text(html);
}

/* One HTML text, or null, for each block of a message. */
static json_t *render_blocks(const json_t *message)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    json_t *rendered = json_array();
    json_each (blocks, i, block) {
        bool is_text = g_strcmp0(json_get_text(block, "type"), "text") == 0;
        json_append_take(rendered, is_text ? render(json_get_text(block, "text")) : json_null());
    }
    return rendered;
}

/* Entry id → rendered texts, of what people and models wrote. */
static json_t *render_entries(const json_t *entries)
{
    json_t *all = json_object();
    json_each (entries, i, entry) {
        const char *id = json_get_text(entry, "id");
        const json_t *message = json_get_object(entry, "message");
        const char *role = message_role(message);
        bool is_spoken = strcmp(role, "user") == 0 || strcmp(role, "assistant") == 0;
        const char *summary = json_get_text(entry, "summary");
        if (id && is_spoken)
            json_set_take(all, id, render_blocks(message));
        else if (id && summary)
            json_set_take(all, id, json_pack("[o]", render(summary)));
    }
    return all;
}

static char *data_of(const SessionCopy *copy, const char *system_prompt, const json_t *tools)
{
    g_autoptr(json_t) data =
        json_make("header:%p entries:%p leafId:%s systemPrompt:%s", json_incref(copy->header),
                  json_incref(copy->entries), json_get_text(copy->leaf, "id"), system_prompt);
    if (tools)
        json_set_take(data, "tools", json_deep_copy(tools));
    json_set_take(data, "html", render_entries(copy->entries));
    g_autofree char *text = json_to_text(data);
    g_autofree char *masked = mask_text(text);
    return g_base64_encode((const unsigned char *)masked, strlen(masked));
}

/* 'sha256-…' of an inline script, for the page's policy: no other runs. */
static char *script_hash(const char *script)
{
    unsigned char digest[32];
    size_t size = sizeof digest;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const unsigned char *)script, (gssize)strlen(script));
    g_checksum_get_digest(sum, digest, &size);
    g_autofree char *base64 = g_base64_encode(digest, size);
    return g_strconcat("'sha256-", base64, "'", NULL);
}

static char *html_escape(const char *text)
{
    return g_markup_escape_text(text ? text : "", -1);
}

bool export_html(const SessionCopy *copy, const char *system_prompt, const json_t *tools,
                 char **ret_html, GError **error)
{
    g_autofree char *shell = page_text("export.html");
    g_autofree char *style = page_text("export.css");
    g_autofree char *script = page_text("export.js");
    g_autofree char *hash = script_hash(script);
    g_autofree char *data = data_of(copy, system_prompt, tools);
    const char *name = json_get_text(copy->header, "title");
    g_autofree char *title = html_escape(name ? name : json_get_text(copy->header, "id"));
    const struct {
        const char *mark, *text;
    } parts[] = { { "@hash@", hash },
                  { "@title@", title },
                  { "@style@", style },
                  { "@data@", data },
                  { "@script@", script } };

    GString *page = g_string_new(NULL);
    const char *rest = shell;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) { // in the order of the shell, each once
        const char *found = strstr(rest, parts[i].mark);
        g_assert(found != NULL);
        g_string_append_len(page, rest, found - rest);
        g_string_append(page, parts[i].text);
        rest = found + strlen(parts[i].mark);
    }
    g_string_append(page, rest);
    *ret_html = g_string_free(page, FALSE);
    return true;
}

bool export_file(const char *session_path, const char *system_prompt, const json_t *tools,
                 const char *target, GError **error)
{
    g_auto(SessionCopy) copy = { 0 };
    g_autofree char *html = NULL;
    return session_read(session_path, &copy, error) &&
           export_html(&copy, system_prompt, tools, &html, error) &&
           file_write_atomic(target, html, strlen(html), 0600, error);
}

char *export_default_name(const char *session_path)
{
    g_autofree char *base = g_path_get_basename(session_path);
    if (g_str_has_suffix(base, ".jsonl"))
        base[strlen(base) - strlen(".jsonl")] = '\0';
    return g_strdup_printf("kedge-session-%s.html", base);
}
