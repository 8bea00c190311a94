/*
 * The kinds of files whose inside read shows and write changes by a path that goes on behind the
 * file: one table, one file or more of code for each. Thread safe.
 */
#pragma once

#include "tool/tool.h"
#include "tools/file/inner_path.h"

typedef struct FileKind {
    const char *const *extensions; // lower case, with dot
    const char *separators;        // what may follow one
    bool (*is_kind)(const char *path);
    bool (*show)(ToolCall *call, const InnerPath *inner, ToolResult *result, GError **error);
    /* `inner->exists` may be false. */
    bool (*write)(ToolCall *call, const InnerPath *inner, const char *content, ToolResult *result,
                  GError **error);
} FileKind;

/* NULL: what `asked` names is not inside a file of any kind. */
const FileKind *file_kind_to_show(const char *asked, const char *cwd, InnerPath *ret_inner);
const FileKind *file_kind_to_write(const char *asked, const char *cwd, InnerPath *ret_inner);
