/* See file_kind.h. */
#include "tools/read/file_kind.h"

#include "tools/database/sqlite_tool.h"
#include "tools/read/archive_tool.h"

static const char *const sqlite_extensions[] = { ".sqlite", ".sqlite3", ".db", ".db3", NULL };

static const char *const archive_extensions[] = { ".tar", ".tar.gz", ".tgz", ".zip", NULL };

static const FileKind kinds[] = {
    { archive_extensions, ":", archive_tool_is, archive_tool_show, archive_tool_write },
    { sqlite_extensions, ":?", sqlite_file_is, sqlite_tool_show, sqlite_tool_write },
};

const FileKind *file_kind_to_show(const char *asked, const char *cwd, InnerPath *ret_inner)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (inner_path_find(asked, cwd, kinds[i].extensions, kinds[i].separators, kinds[i].is_kind,
                            ret_inner))
            return &kinds[i];
    return NULL;
}

const FileKind *file_kind_to_write(const char *asked, const char *cwd, InnerPath *ret_inner)
{
    const FileKind *kind = file_kind_to_show(asked, cwd, ret_inner);
    for (size_t i = 0; !kind && i < G_N_ELEMENTS(kinds); i++)
        if (inner_path_find_new(asked, cwd, kinds[i].extensions, kinds[i].separators, ret_inner))
            kind = &kinds[i];
    return kind;
}
