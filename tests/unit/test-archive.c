/*
 * read and write of archives (agent-tools §3.1.6, §3.2 step 3), hostile ones among them.
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "base/archive.h"
#include "base/archive_library.h"
#include "base/limits.h"
#include "base/secrets.h"
#include "tools/tools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *read_error(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_error(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static char *write_text(const ToolFixture *fixture, const char *path, const char *content)
{
    return tool_fixture_text(fixture, &tool_write,
                             json_pack("{s:s, s:s}", "path", path, "content", content));
}

typedef struct Member {
    const char *name, *content; // content NULL: a symbolic link
    size_t zeros;               // in place of content
} Member;

/* A ustar archive written here: libarchive's writer would not make the hostile ones. */
static void append_header(GString *out, const Member *member, size_t size)
{
    char header[512] = { 0 };
    unsigned sum = 0;
    g_strlcpy(header, member->name, 100);
    memcpy(header + 100, "0000644\0000000000\0000000000", 24);
    g_snprintf(header + 124, 12, "%011lo", (unsigned long)size);
    memcpy(header + 136, "00000000000", 12);
    memset(header + 148, ' ', 8);
    header[156] = member->content || member->zeros ? '0' : '2';
    if (header[156] == '2')
        g_strlcpy(header + 157, "/etc/passwd", 100);
    memcpy(header + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(header); i++)
        sum += (unsigned char)header[i];
    g_snprintf(header + 148, 8, "%06o", sum);
    g_string_append_len(out, header, sizeof(header));
}

static void put_tar(const ToolFixture *fixture, const char *name, const Member *members,
                    size_t count)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        size_t size = members[i].zeros     ? members[i].zeros
                      : members[i].content ? strlen(members[i].content)
                                           : 0;
        append_header(out, &members[i], size);
        size_t begin = out->len;
        g_string_set_size(out, begin + (size + 511) / 512 * 512);
        memset(out->str + begin, 0, out->len - begin);
        if (!members[i].zeros && size > 0)
            memcpy(out->str + begin, members[i].content, size);
    }
    g_string_append_len(out, (const char[1024]) { 0 }, 1024);
    tool_fixture_put_bytes(fixture, name, out->str, out->len);
}

static void test_read(void **state G_GNUC_UNUSED)
{
    static const Member members[] = {
        { "docs/a.md", "# Hi\ntext\n", 0 },
        { "./docs//sub/deep.txt", "deep", 0 },
        { "../../out", "no", 0 },
        { "/abs", "abs", 0 },
        { "link", NULL, 0 },
        { "na\xc3\xafve", "utf8", 0 },
        { "bad\xff", "x", 0 },
        { "bin", "\xff\xfe", 0 },
        { "b.txt", "old", 0 },
        { "b.txt", "one\ntwo\nthree\nfour\nfive\nsix\n", 0 },
        { "x:5", "literal", 0 },
    };
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "a.tar", "docs/\nabs (3B)\nb.txt (28B)\nbad\xef\xbf\xbd (1B)\nbin (2B)\nlink -> "
                   "/etc/passwd\nna\xc3\xafve (4B)\nx:5 (7B)\n[1 with '..' in the name are left "
                   "out]" },
        { "a.tar:", NULL },
        { "a.tar:docs/", "sub/\na.md (10B)\n[1 with '..' in the name are left out]" },
        { "a.tar:docs\\a.md", "# Hi\ntext\n" },
        { "a.tar:/docs/./sub/deep.txt", "deep" },
        { "a.tar:abs", "abs" },
        { "a.tar:link", "[Archive entry 'link' is a link to '/etc/passwd']" },
        { "a.tar:na\xc3\xafve", "utf8" },
        { "a.tar:bin", "[Cannot read binary archive entry 'bin' (2B)]" },
        { "a.tar:b.txt:6", "three\nfour\nfive\nsix\n" },
        { "a.tar:b.txt:1-1", "one\ntwo\nthree\nfour\n\n[3 more lines in archive entry. Use :5 to "
                             "continue]" },
        { "a.tar:b.txt:99", "Line 99 is beyond end of archive entry (7 lines total). Use :1 to "
                            "read from the start, or :7 to read the last line." },
        { "a.tar:x:5", "literal" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_tar(fixture, "a.tar", members, G_N_ELEMENTS(members));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_text(cases[i].path, text, cases[i].want ? cases[i].want : cases[0].want);
    }
    g_autofree char *outside = read_error(fixture, "a.tar:../../out");
    assert_text("outside", outside, "Path 'a.tar:../../out' not found inside archive");
}

/* tools-T30, and what is written is read back. */
static void test_write(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = { "z.zip", "n/t.tar", "t.tar.gz", "t.tgz" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *inner = g_strconcat(names[i], ":a/b.txt", NULL);
        g_autofree char *other = g_strconcat(names[i], ":na\xc3\xafve", NULL);
        g_autofree char *missing = g_strconcat(names[i], ":no", NULL);
        g_autofree char *made = write_text(fixture, inner, "first\n");
        g_autofree char *want = g_strdup_printf("Successfully wrote 6 bytes to %s", inner);
        assert_text(inner, made, want);
        g_free(write_text(fixture, other, "other"));
        g_free(write_text(fixture, inner, "h\xc3\xa9\n"));
        g_autofree char *list = read_text(fixture, names[i]);
        assert_text(names[i], list, "a/\nna\xc3\xafve (5B)");
        g_autofree char *text = read_text(fixture, inner);
        assert_text(inner, text, "h\xc3\xa9\n");
        g_autofree char *kept = read_text(fixture, other);
        assert_text(other, kept, "other");
        g_autofree char *error = read_error(fixture, missing);
        g_autofree char *no = g_strdup_printf("Path '%s' not found inside archive", missing);
        assert_text(missing, error, no);
    }
}

static void test_write_errors(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "a.zip:", "Archive write path must target a file inside the archive" },
        { "a.zip:d/", "Archive write path must target a file, not a directory" },
        { "a.zip:../x", "Archive path cannot contain '..'" },
        { "have.zip", "Archive write path must target a file inside the archive" },
        { "text.tar:x", "text.tar: " },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "text.tar", "no archive at all\n");
    g_free(write_text(fixture, "have.zip:x", "x"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = tool_fixture_error(
            fixture, &tool_write, json_pack("{s:s, s:s}", "path", cases[i].path, "content", "x"));
        assert_contains(cases[i].path, text, cases[i].want);
    }
    g_autofree char *kept = read_text(fixture, "have.zip:x");
    assert_text("kept", kept, "x");
}

/* A few kilobytes that inflate to 80 MiB. */
static void test_bomb(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *path = g_build_filename(fixture->cwd, "bomb.tgz", NULL);
    const Libarchive *library = NULL;
    assert_true(libarchive_load(&library, NULL));
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    struct archive *out = library->write_new();
    library->write_set_format_pax_restricted(out);
    library->write_add_filter_gzip(out);
    assert_int_equal(library->write_open_fd(out, fd), LIBARCHIVE_OK);
    struct archive_entry *entry = library->entry_new();
    library->entry_set_pathname(entry, "big");
    library->entry_set_filetype(entry, S_IFREG);
    library->entry_set_size(entry, (int64_t)(80 * MIB));
    library->write_header(out, entry);
    g_autofree char *block = g_malloc0(MIB);
    for (int i = 0; i < 80; i++)
        library->write_data(out, block, MIB);
    library->entry_free(entry);
    library->write_free(out);
    close(fd);
    g_autofree char *error = read_error(fixture, "bomb.tgz:big");
    assert_text("bomb", error, "Archive too large: 80.0MB");
    g_autofree char *list = read_text(fixture, "bomb.tgz");
    assert_text("list", list, "big (80.0MB)");
}

static void test_broken(void **state G_GNUC_UNUSED)
{
    static const Member member = { "big", NULL, 100000 };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "b.zip", "not a zip\n");
    g_autofree char *none = read_error(fixture, "b.zip");
    assert_contains("none", none, "b.zip: ");
    put_tar(fixture, "cut.tar", &member, 1);
    g_autofree char *path = g_build_filename(fixture->cwd, "cut.tar", NULL);
    assert_int_equal(truncate(path, 5000), 0);
    g_autofree char *cut = read_error(fixture, "cut.tar");
    assert_contains("cut", cut, "cut.tar: ");
    tool_fixture_put_bytes(fixture, "e.zip", "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    g_autofree char *empty = read_text(fixture, "e.zip");
    assert_text("empty", empty, "(empty archive directory)");
    g_autofree char *huge = g_build_filename(fixture->cwd, "huge.zip", NULL);
    tool_fixture_put(fixture, "huge.zip", "");
    assert_int_equal(truncate(huge, (off_t)(LIMIT_ARCHIVE_BYTES + 1)), 0);
    g_autofree char *large = read_error(fixture, "huge.zip");
    assert_text("huge", large, "Archive too large: 512.0MB");
}

/* A zip with its one member under a password, made by another program. */
static void test_encrypted(void **state G_GNUC_UNUSED)
{
    static const char base64[] =
        "UEsDBAoACQAAAAAAIVoAAAAADgAAAAIAAAABAAAAYQAAAAAAAAAAAAAAAAAAUEsBAh4DCgAJAAAAAAAhWgAAAAAO"
        "AAAAAgAAAAEAAAAAAAAAAQAAAKSBAAAAAGFQSwUGAAAAAAEAAQAvAAAALQAAAAAA";
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    size_t size = 0;
    g_autofree guchar *data = g_base64_decode(base64, &size);
    tool_fixture_put_bytes(fixture, "p.zip", (const char *)data, size);
    g_autofree char *list = read_text(fixture, "p.zip");
    assert_text("list", list, "a (2B)");
    g_autofree char *error = read_error(fixture, "p.zip:a");
    assert_text("read", error, "p.zip: archive entry 'a' is encrypted");
}

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        { "a/b", "a/b" },   { "/a//b/./c/", "a/b/c" }, { "", "" },
        { "./", "" },       { "a/../b", NULL },        { "..", NULL },
        { "a..b", "a..b" }, { "a\\b", "a/b" },         { "a\\..\\b", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *clean = archive_clean_name(cases[i].name, true);
        if (g_strcmp0(clean, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, clean);
    }
}

static void assert_refused(const ToolFixture *fixture, const char *path, const char *content,
                           const char *want)
{
    g_autofree char *text = tool_fixture_error(
        fixture, &tool_write, json_pack("{s:s, s:s}", "path", path, "content", content));
    assert_contains(path, text, want);
}

static GString *get_bytes(const ToolFixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    char *data = NULL;
    size_t size = 0;
    assert_true(file_read(path, MIB, &data, &size, NULL));
    GString *out = g_string_new_len(data, (gssize)size);
    g_free(data);
    return out;
}

/* A zip whose one name says that it is UTF-8, and is not. */
static void test_no_name(void **state G_GNUC_UNUSED)
{
    static const char base64[] = "UEsDBAoAAAgAAAAAIQCDFtyMAQAAAAEAAAACAAAA//"
                                 "54UEsBAh4DCgAACAAAAAAhAIMW3IwBAAAAAQAAAAIAAAAAAAAA"
                                 "AAAAAKSBAAAAAP/+UEsFBgAAAAABAAEAMAAAACEAAAAAAA==";
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    size_t size = 0;
    g_autofree guchar *data = g_base64_decode(base64, &size);
    tool_fixture_put_bytes(fixture, "n.zip", (const char *)data, size);
    assert_refused(fixture, "n.zip:new", "x", "has no name that can be read");
    g_autoptr(GString) kept = get_bytes(fixture, "n.zip");
    assert_int_equal(kept->len, size);
    assert_memory_equal(kept->str, data, size);
}

/* Changes the header at `at` of a tar. */
static void patch_header(GString *tar, size_t at, size_t field, const char *value)
{
    char *header = tar->str + at;
    unsigned sum = 0;
    memcpy(header + field, value, strlen(value) + 1);
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)header[i];
    g_snprintf(header + 148, 8, "%06o", sum);
}

/* What a rewritten archive would lose: then it is left alone. */
static void test_nothing_is_lost(void **state G_GNUC_UNUSED)
{
    static const Member members[] = { { "a.txt", "old", 0 }, { "b", NULL, 0 } };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_tar(fixture, "a.tar", members, G_N_ELEMENTS(members));
    g_autoptr(GString) tar = get_bytes(fixture, "a.tar");

    patch_header(tar, 0, 108, "0002322"); // the owner
    tool_fixture_put_bytes(fixture, "owner.tar", tar->str, tar->len);
    g_free(write_text(fixture, "owner.tar:a.txt", "new"));
    g_autoptr(GString) owned = get_bytes(fixture, "owner.tar");
    const char *header = g_strstr_len(owned->str + 512, -1, "a.txt");
    assert_non_null(header);
    assert_memory_equal(header + 108, "002322", 6);

    patch_header(tar, 1024, 156, "1a.txt"); // a hard link to the first
    tool_fixture_put_bytes(fixture, "hard.tar", tar->str, tar->len);
    assert_refused(fixture, "hard.tar:a.txt", "new", "entry 'b' is a hard link to 'a.txt'");
    g_free(write_text(fixture, "hard.tar:b", "of its own"));
    g_autofree char *kept = read_text(fixture, "hard.tar:a.txt");
    assert_text("hard.tar", kept, "old");

    g_string_append_len(tar, owned->str, (gssize)owned->len);
    tool_fixture_put_bytes(fixture, "two.tar", tar->str, tar->len);
    assert_refused(fixture, "two.tar:c", "new", "something follows the end of the archive");
    g_autoptr(GString) same = get_bytes(fixture, "two.tar");
    assert_memory_equal(same->str, tar->str, tar->len);

    g_free(write_text(fixture, "z.zip:a", "a"));
    g_autoptr(GString) zip = get_bytes(fixture, "z.zip");
    zip->str[zip->len - 2] = 2;
    g_string_append(zip, "hi");
    tool_fixture_put_bytes(fixture, "comment.zip", zip->str, zip->len);
    assert_refused(fixture, "comment.zip:a", "b", "comment.zip: the zip file has a comment");
}

/* The format is that of the file, not of its name. */
static void test_other_name(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *made, *name, *begin;
    } cases[] = {
        { "t.tar.gz", "gz.tar", "\x1f\x8b" },
        { "t.tar", "plain.tgz", "a" },
        { "t.tar", "tar.zip", "a" },
        { "z.zip", "zip.tar", "PK" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *member = g_strconcat(cases[i].made, ":a", NULL);
        g_autofree char *renamed = g_strconcat(cases[i].name, ":a", NULL);
        g_free(write_text(fixture, member, "first"));
        g_autoptr(GString) made = get_bytes(fixture, cases[i].made);
        tool_fixture_put_bytes(fixture, cases[i].name, made->str, made->len);
        g_free(write_text(fixture, renamed, "second"));
        g_autoptr(GString) bytes = get_bytes(fixture, cases[i].name);
        if (!str_has_prefix(bytes->str, cases[i].begin))
            fail_msg("%s is of another format now", cases[i].name);
        g_autofree char *text = read_text(fixture, renamed);
        assert_text(renamed, text, "second");
    }
}

/* An archive that cannot be replaced in one step is not overwritten piece by piece. */
static void test_hard_linked_file(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *path = g_build_filename(fixture->cwd, "t.tar", NULL);
    g_autofree char *other = g_build_filename(fixture->cwd, "other.tar", NULL);
    g_free(write_text(fixture, "t.tar:a", "first"));
    assert_int_equal(link(path, other), 0);
    assert_refused(fixture, "t.tar:a", "second", "it has other hard links");
    g_autofree char *text = read_text(fixture, "other.tar:a");
    assert_text("other.tar:a", text, "first");
}

/* What read has masked does not come back in place of the secret. */
static void test_masks(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    secrets_register("tide-key-90d3b7ee");
    g_free(write_text(fixture, "s.zip:f.env", "TOKEN=tide-key-90d3b7ee\n"));
    assert_refused(fixture, "s.zip:./f.env", "TOKEN=[REDACTED]\nA=1\n",
                   "which stands for a masked secret");
    g_free(write_text(fixture, "s.zip:other.env", "TOKEN=[REDACTED]\n"));
    g_free(write_text(fixture, "s.zip:f.env", "TOKEN=$TOKEN\n"));
}

static void test_names_with_line_breaks(void **state G_GNUC_UNUSED)
{
    static const Member members[] = { { "a\nREADME.md (1B)", "x", 0 },
                                      { "d\ne/f", "x", 0 },
                                      { "\x1b[2Jg", "x", 0 } };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_tar(fixture, "n.tar", members, G_N_ELEMENTS(members));
    g_autofree char *list = read_text(fixture, "n.tar");
    assert_text("list", list, "d?e/\n?[2Jg (1B)\na?README.md (1B) (1B)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_encrypted),
        cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_other_name),
        cmocka_unit_test(test_hard_linked_file),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_names_with_line_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
