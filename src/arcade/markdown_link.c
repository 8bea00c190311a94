/* See markdown_link.h. */
#include "arcade/markdown_link.h"

#include <stdint.h>

#define MAX_CODE_POINT 0x10ffff

static const struct {
    const char *name;
    const char *text;
} entities[] = {
    { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&apos;", "'" },
};

/* Named entities that are not in the table stay as they are: their & will be escaped. */
static void append_entity(GString *out, const char *entity, size_t size)
{
    g_autofree char *text = g_strndup(entity, size);
    for (size_t i = 0; i < G_N_ELEMENTS(entities); i++)
        if (strcmp(text, entities[i].name) == 0) {
            g_string_append(out, entities[i].text);
            return;
        }
    if (size < 4 || text[1] != '#') {
        g_string_append(out, text);
        return;
    }
    bool is_hex = text[2] == 'x' || text[2] == 'X';
    uint64_t code = g_ascii_strtoull(text + (is_hex ? 3 : 2), NULL, is_hex ? 16 : 10);
    bool is_character = code > 0 && code <= MAX_CODE_POINT && g_unichar_validate((gunichar)code);
    g_string_append_unichar(out, is_character ? (gunichar)code : 0xfffd);
}

char *link_text(const MD_ATTRIBUTE *attribute)
{
    GString *out = g_string_sized_new(attribute->size + 1);
    for (size_t i = 0; attribute->text && attribute->substr_offsets[i] < attribute->size; i++) {
        const char *part = attribute->text + attribute->substr_offsets[i];
        size_t size = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];
        if (attribute->substr_types[i] == MD_TEXT_ENTITY)
            append_entity(out, part, size);
        else if (attribute->substr_types[i] == MD_TEXT_NULLCHAR)
            g_string_append_unichar(out, 0xfffd);
        else
            g_string_append_len(out, part, (gssize)size);
    }
    return g_string_free(out, FALSE);
}

static bool begins(const char *text, const char *prefix)
{
    return g_ascii_strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Browsers drop some control characters from a URL, which must not make another of it. */
static bool has_controls(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

/* "javascript:", "c:" */
static bool has_scheme(const char *text)
{
    size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return text[size] == ':';
}

LinkKind link_kind(const char *destination)
{
    if (has_controls(destination))
        return LINK_NONE;
    if (begins(destination, "http://") || begins(destination, "https://"))
        return LINK_WEB;
    if (begins(destination, "mailto:"))
        return LINK_MAIL;
    if (destination[0] == '#' && destination[1] != '\0')
        return LINK_PAGE;
    bool is_path = destination[0] != '\0' && strchr("#?/\\", destination[0]) == NULL;
    return is_path && !has_scheme(destination) ? LINK_LOCAL : LINK_NONE;
}

char *link_path(const char *destination)
{
    g_autofree char *encoded = g_strndup(destination, strcspn(destination, "?#"));
    g_autofree char *path = g_uri_unescape_string(encoded, NULL);
    bool is_name =
        path && path[0] && g_utf8_validate(path, -1, NULL) && !has_controls(path) && path[0] != '/';
    return is_name ? g_steal_pointer(&path) : NULL;
}

void html_escape(GString *out, const char *text, size_t size)
{
    const char *end = text + size;
    const char *run = text;
    for (; text < end; text++) {
        const char *escaped = NULL;
        switch (*text) {
        case '&':
            escaped = "&amp;";
            break;
        case '<':
            escaped = "&lt;";
            break;
        case '>':
            escaped = "&gt;";
            break;
        case '"':
            escaped = "&quot;";
            break;
        default:
            continue;
        }
        g_string_append_len(out, run, text - run);
        g_string_append(out, escaped);
        run = text + 1;
    }
    g_string_append_len(out, run, end - run);
}

void html_attribute(GString *out, const char *name, const char *text)
{
    g_string_append_printf(out, " %s=\"", name);
    html_escape(out, text, strlen(text));
    g_string_append_c(out, '"');
}

char *heading_slug(const char *heading)
{
    g_autofree char *lower = g_utf8_strdown(heading, -1);
    GString *slug = g_string_new(NULL);
    for (const char *at = lower; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (character == ' ')
            g_string_append_c(slug, '-');
        else if (g_unichar_isalnum(character) || g_unichar_ismark(character) || character == '-' ||
                 character == '_')
            g_string_append_unichar(slug, character);
    }
    return g_string_free(slug, FALSE);
}
