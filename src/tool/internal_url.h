/*
 * Internal URLs (agent-tools §4): what has an address of its own, such as artifact://3, and is
 * read like a file.
 *
 * A scheme is a UrlScheme; those of all rooms come as one table into the ToolContext (context.h),
 * in the order in which a model is told of them. Looking up and reading happen inside the call of a
 * tool, so a scheme that asks a server has been judged by the gate before (`judge`), and its
 * `resolve` hands the call with its permit on. Constant; thread safe.
 */
#pragma once

#include "tool/origin.h"
#include "tool/tool.h"

typedef struct InternalUrl {
    char *text;     // as it was given
    char *scheme;   // lower case, as it was given: may be an alias
    char *host;     // not decoded; keeps its case, may hold colons, may be empty
    char *raw_host; // percent-decoded; as `host` when that is no text
    char *raw_path; // "" or "/…", not decoded
    char *query;    // behind `?`; NULL: none
    char *hash;     // behind `#`; NULL: none
} InternalUrl;

void internal_url_free(InternalUrl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InternalUrl, internal_url_free)

/* USAGE "Invalid URL: <text>"; a scheme need not be known. */
bool internal_url_parse(const char *text, InternalUrl **ret_url, GError **error);
/* The length of `scheme` in `scheme://…`; 0: no URL. */
size_t internal_url_scheme_length(const char *text);

/* Has it a part "..", encoded or not? */
bool internal_url_goes_up(const char *raw_path);
/* The file that a URL names below the root of its scheme: `path` is "a/b" or "/a/b", not decoded.
   USAGE for an absolute path, for `..` in it, and for a URL with a query or fragment. What is bad
   encoding stays as it is. "" for an empty path. Caller frees. */
bool internal_url_relative_path(const InternalUrl *url, const char *path, char **ret_path,
                                GError **error);
/* `host` and `raw_path` as one path, for the schemes in which the host is the first folder. */
bool internal_url_whole_path(const InternalUrl *url, char **ret_path, GError **error);

typedef struct UrlResource {
    char *content; // NULL: that of the file at source_path, of any size
    size_t size;
    const char *content_type; // text/plain (when NULL), text/markdown, application/json
    char *source_path;        // the file after it; NULL: none
    json_t *github;           // github_mark_to_json() of what it is; NULL: nothing of GitHub
    Origin origin;            // then of that; ORIGIN_UNKNOWN: the URL
    GPtrArray *notes;         // of char *, told to the model behind the text; NULL: none
    bool is_immutable;        // begins as the scheme's
    bool is_extract;          // a part that was asked for: has no lines to page through
    bool is_whole;            // not cut by the default line limit
} UrlResource;

void url_resource_clear(UrlResource *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(UrlResource, url_resource_clear)
void url_resource_add_note(UrlResource *self, const char *text);
/* Takes `text` over. */
void url_resource_set_text(UrlResource *self, char *text, const char *content_type);

typedef struct UrlScheme {
    const char *name;           // "artifact"
    const char *const *aliases; // NULL-terminated; NULL: none
    bool is_immutable;          // what was read once stays as it is
    bool is_writable;           // write and edit may change what `locate` names
    bool is_remote;             // asks other machines: a read of it ends when it is stopped
    /* Judges the reading of a URL, as ToolDef.judge does: the effect, and host and repository of a
       GitHub call (`is_github`). NULL: reads on this machine. */
    bool (*judge)(ToolCall *call, const InternalUrl *url, Judgement *ret_judgement, GError **error);
    /* Inside a call that has its permit; blocks, and obeys tool_call_cancel(). `ret_resource` comes
       with the scheme's is_immutable. NULL: the file that `locate` finds. */
    bool (*resolve)(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error);
    /* Adds the images of what it resolved, behind its text. False when the call was stopped. NULL:
       it has none. */
    bool (*illustrate)(ToolCall *call, const InternalUrl *url, const UrlResource *resource,
                       ToolResult *result, GError **error);
    /* The file behind a URL, for what works on files; of a writable scheme also one that is to be
       made. Asks no one. Caller frees. NULL: there is none. */
    bool (*locate)(ToolContext *context, const InternalUrl *url, char **ret_path, GError **error);
} UrlScheme;

/* The scheme of that name or alias; NULL: none. */
const UrlScheme *internal_url_scheme(const ToolContext *context, const char *name);

/* Parses and finds the scheme. USAGE "Invalid URL: …", "Unknown protocol: …". */
bool internal_url_open(const ToolContext *context, const char *text, InternalUrl **ret_url,
                       const UrlScheme **ret_scheme, GError **error);
/* For ToolDef.judge of a tool that reads `text`. What is no URL, or of no known scheme, is a read:
   reading says so. */
bool internal_url_judge(ToolCall *call, const char *text, Judgement *ret_judgement, GError **error);
/* Adds the images of what `text` resolved to. False when the call was stopped. */
bool internal_url_illustrate(ToolCall *call, const char *text, const UrlResource *resource,
                             ToolResult *result, GError **error);
/* The content of `text`, inside the call that was judged for it. */
bool internal_url_resolve(ToolCall *call, const char *text, UrlResource *ret_resource,
                          GError **error);
