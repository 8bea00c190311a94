/*
 * Which fields an item of a kind has, and how they are read (item_fields.h).
 */
#include "wm/apply/item_fields.h"

#include "base/str.h"
#include "base/utf8.h"
#include "wm/task/labels.h"

#include <math.h>

#define TEXT(name_)                                                                                \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_TEXT, .is_always = true                                    \
    }
#define MAYBE_TEXT(name_)                                                                          \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_TEXT                                                       \
    }
#define LIST(name_)                                                                                \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_LIST, .is_always = true                                    \
    }
#define MAYBE_LIST(name_)                                                                          \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_LIST                                                       \
    }
#define NUMBER(name_)                                                                              \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_INTEGER, .is_always = true                                 \
    }
#define MAYBE_NUMBER(name_)                                                                        \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_INTEGER                                                    \
    }
#define MAYBE_BOOL(name_)                                                                          \
    {                                                                                              \
        .name = name_, .type = WM_FIELD_BOOLEAN                                                    \
    }

typedef enum { WM_FIELD_TEXT, WM_FIELD_LIST, WM_FIELD_INTEGER, WM_FIELD_BOOLEAN } WmFieldType;

typedef struct WmFieldDef {
    const char *name;
    WmFieldType type;
    bool is_always; // is in the line also when it is empty
    const char *alias;
} WmFieldDef;

static const WmFieldDef pull_request_fields[] = {
    TEXT("title"), TEXT("body"), MAYBE_BOOL("draft"), MAYBE_LIST("labels"), { 0 },
};
static const WmFieldDef issue_fields[] = {
    TEXT("title"), TEXT("body"), MAYBE_LIST("labels"), MAYBE_LIST("assignees"), { 0 },
};
static const WmFieldDef body_fields[] = { TEXT("body"), { 0 } };
static const WmFieldDef labels_fields[] = { LIST("labels"), { 0 } };
static const WmFieldDef update_fields[] = {
    TEXT("title"),
    TEXT("body"),
    MAYBE_TEXT("operation"),
    { 0 },
};
static const WmFieldDef update_issue_fields[] = {
    TEXT("title"), TEXT("body"), MAYBE_TEXT("operation"), MAYBE_TEXT("status"), { 0 },
};
static const WmFieldDef close_issue_fields[] = {
    TEXT("comment"),
    MAYBE_TEXT("state_reason"),
    { 0 },
};
static const WmFieldDef close_fields[] = { TEXT("comment"), { 0 } };
static const WmFieldDef reviewer_fields[] = { LIST("reviewers"), { 0 } };
static const WmFieldDef review_comment_fields[] = {
    TEXT("body"), TEXT("commit_id"),          TEXT("path"), NUMBER("line"),
    TEXT("side"), MAYBE_NUMBER("start_line"), { 0 },
};
static const WmFieldDef review_fields[] = {
    TEXT("event"),
    MAYBE_TEXT("body"),
    MAYBE_TEXT("commit_id"),
    { 0 },
};
static const WmFieldDef reply_fields[] = { TEXT("body"), NUMBER("comment_id"), { 0 } };
static const WmFieldDef thread_fields[] = { TEXT("thread_id"), { 0 } };
static const WmFieldDef no_fields[] = { { 0 } };
static const WmFieldDef noop_fields[] = { TEXT("message"), { 0 } };
static const WmFieldDef tool_fields[] = { TEXT("tool"), TEXT("reason"), { 0 } };
static const WmFieldDef data_fields[] = {
    { .name = "what", .type = WM_FIELD_TEXT, .is_always = true, .alias = "data_type" },
    TEXT("reason"),
    { 0 },
};

typedef struct KindFields {
    const WmFieldDef *fields;
    bool has_target, is_of_pull_request;
} KindFields;

static const KindFields kinds[WM_KINDS] = {
    [WM_CREATE_PULL_REQUEST] = { pull_request_fields, false, false },
    [WM_ADD_COMMENT] = { body_fields, true, false },
    [WM_ADD_LABELS] = { labels_fields, true, false },
    [WM_REMOVE_LABELS] = { labels_fields, true, false },
    [WM_CREATE_ISSUE] = { issue_fields, false, false },
    [WM_UPDATE_PULL_REQUEST] = { update_fields, true, true },
    [WM_UPDATE_ISSUE] = { update_issue_fields, true, false },
    [WM_CLOSE_ISSUE] = { close_issue_fields, true, false },
    [WM_CLOSE_PULL_REQUEST] = { close_fields, true, true },
    [WM_ADD_REVIEWER] = { reviewer_fields, true, true },
    [WM_CREATE_REVIEW_COMMENT] = { review_comment_fields, true, true },
    [WM_SUBMIT_REVIEW] = { review_fields, true, true },
    [WM_REPLY_TO_REVIEW_COMMENT] = { reply_fields, true, true },
    [WM_RESOLVE_REVIEW_THREAD] = { thread_fields, true, true },
    [WM_PUSH_TO_PULL_REQUEST_BRANCH] = { no_fields, true, true },
    [WM_NOOP] = { noop_fields, false, false },
    [WM_MISSING_TOOL] = { tool_fields, false, false },
    [WM_MISSING_DATA] = { data_fields, false, false },
};

bool wm_kind_has_target(WmKind kind)
{
    return kinds[kind].has_target;
}

bool wm_kind_is_of_pull_request(WmKind kind)
{
    return kinds[kind].is_of_pull_request;
}

bool wm_kind_has_temporary_id(WmKind kind)
{
    return kind == WM_CREATE_ISSUE || kind == WM_CREATE_PULL_REQUEST;
}

int64_t wm_item_integer(const json_t *raw, const char *name)
{
    const json_t *value = json_object_get(raw, name);
    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_real(value)) {
        double whole = trunc(json_real_value(value));
        return whole >= -0x1p63 && whole < 0x1p63 ? (int64_t)whole : 0;
    }
    int64_t number = 0;
    if (!json_is_string(value))
        return 0;
    g_autofree char *text = utf8_trim(json_string_value(value));
    return g_ascii_isdigit(text[0]) && str_parse_int(text, &number) ? number : 0;
}

static void add_text(json_t *normal, const WmFieldDef *field, const json_t *raw)
{
    const char *text = json_get_text(raw, field->name);
    if (!text && field->alias)
        text = json_get_text(raw, field->alias);
    g_autofree char *trimmed = utf8_trim(text ? text : "");
    if (trimmed[0] != '\0' || field->is_always)
        json_set_text(normal, field->name, trimmed);
}

static void add_list(json_t *normal, const WmFieldDef *field, const json_t *raw)
{
    json_t *list = wm_text_list(json_object_get(raw, field->name));
    if (json_array_size(list) > 0 || field->is_always)
        json_set_take(normal, field->name, list);
    else
        json_decref(list);
}

json_t *wm_item_normal(WmKind kind, const json_t *raw)
{
    json_t *normal = json_make("type:%s", wm_kind_table[kind].type);
    for (const WmFieldDef *field = kinds[kind].fields; field->name; field++) {
        const json_t *value = json_object_get(raw, field->name);
        int64_t number = 0;
        switch (field->type) {
        case WM_FIELD_TEXT:
            add_text(normal, field, raw);
            break;
        case WM_FIELD_LIST:
            add_list(normal, field, raw);
            break;
        case WM_FIELD_INTEGER:
            number = wm_item_integer(raw, field->name);
            if (number != 0 || field->is_always)
                json_set_int(normal, field->name, number);
            break;
        case WM_FIELD_BOOLEAN:
            if (json_is_boolean(value))
                json_set_bool(normal, field->name, json_is_true(value));
            break;
        }
    }
    return normal;
}
