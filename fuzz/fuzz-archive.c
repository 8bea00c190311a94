/*
 * Fuzz target: an archive, read member by member as a path in it is looked for, then one member is
 * put into it. The first byte chooses the name that the file has.
 */
#include "base/archive.h"
#include "base/fd.h"
#include "base/limits.h"

#include <string.h>
#include <unistd.h>

#define MAX_MEMBERS 64 // a small input may be thousands of them

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
const char *__lsan_default_suppressions(void);

/* It forgets what it has for an archive that it could not finish writing. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libarchive";
}

static void read_all(const char *path)
{
    g_autoptr(Archive) archive = NULL;
    bool has_member = false;
    if (!archive_open(path, "x", NULL, &archive, NULL))
        return;
    for (unsigned i = 0; i < MAX_MEMBERS && archive_next(archive, &has_member, NULL) && has_member;
         i++) {
        const ArchiveMember *member = archive_member(archive);
        g_assert(g_utf8_validate(member->name, -1, NULL));
        g_autofree char *clean = archive_clean_name(member->name, i % 2 == 0);
        g_assert(!clean || (*clean != '/' && !strstr(clean, "/../") && strcmp(clean, "..") != 0));
        g_autoptr(GString) content = g_string_new(NULL);
        if (member->size >= 0 && member->size < (int64_t)MIB)
            (void)!archive_read_member(archive, content, NULL);
        g_assert(content->len <= LIMIT_ARCHIVE_MEMBER_BYTES);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const endings[] = { "zip", "tar", "tar.gz", "tgz" };
    if (size < 1)
        return 0;
    g_autofree char *path = g_strdup_printf("/dev/shm/kedge-fuzz-%d.%s", (int)getpid(),
                                            endings[data[0] % G_N_ELEMENTS(endings)]);
    if (!g_file_set_contents(path, (const char *)data + 1, (gssize)size - 1, NULL))
        return 0;
    read_all(path);
    if (archive_put(path, "x", "a/b.txt", "text", 4, NULL, NULL))
        read_all(path);
    unlink(path);
    return 0;
}
