/*
 * Documents as Markdown (agent-tools §3.1.10).
 */
#include "tool_fixture.h"

#include "base/archive.h"
#include "base/limits.h"
#include "tools/tools.h"

#include <stdio.h>
#include <sys/stat.h>

typedef struct Part {
    const char *name, *xml;
} Part;

/* The archive that office programs write. */
static void put_parts(const ToolFixture *fixture, const char *name, const Part *parts, size_t count)
{
    g_autofree char *zip = g_build_filename(fixture->cwd, "made.zip", NULL);
    g_autofree char *path = g_build_filename(fixture->cwd, name, NULL);
    for (size_t i = 0; i < count; i++)
        assert_true(archive_put(zip, "made.zip", parts[i].name, parts[i].xml, strlen(parts[i].xml),
                                NULL, NULL));
    assert_int_equal(rename(zip, path), 0);
}

static char *read_text(const ToolFixture *fixture, const char *path)
{
    return tool_fixture_text(fixture, &tool_read, json_pack("{s:s}", "path", path));
}

static void test_docx(void **state G_GNUC_UNUSED)
{
    static const Part parts[] = {
        { "word/document.xml",
          "<?xml version='1.0'?><w:document xmlns:w='urn:w'><w:body>"
          "<w:p><w:pPr><w:pStyle w:val='Heading2'/></w:pPr><w:r><w:t>Ti</w:t></w:r><w:r><w:t>tle"
          "</w:t></w:r></w:p>"
          "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>one &amp; two</w:t></w:r></w:p><w:p/>"
          "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>"
          "<w:tr><w:tc><w:p><w:r><w:t>c|d</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>e</w:t>"
          "</w:r></w:p></w:tc></w:tr></w:tbl>"
          "<w:p><w:r><w:t>x</w:t><w:tab/><w:t>y</w:t><w:instrText>hidden</w:instrText></w:r></w:p>"
          "</w:body></w:document>" },
        { "word/media/image1.png", "not text" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_parts(fixture, "a.docx", parts, G_N_ELEMENTS(parts));
    g_autofree char *text = read_text(fixture, "a.docx");
    assert_text("docx", text,
                "## Title\n\n- one & two\n\n| a | |\n| --- | --- |\n| c d | e |\n\nx\ty");
    g_autofree char *lines = read_text(fixture, "a.docx:8");
    assert_text("lines", lines, "| a | |\n| --- | --- |\n| c d | e |\n\nx\ty");
}

static void test_pptx(void **state G_GNUC_UNUSED)
{
    static const Part parts[] = {
        { "ppt/slides/slide10.xml", "<p:sld xmlns:p='p' xmlns:a='a'><a:p><a:r><a:t>last</a:t></a:r>"
                                    "</a:p></p:sld>" },
        { "ppt/slides/slide2.xml", "<p:sld xmlns:p='p' xmlns:a='a'><a:p><a:r><a:t>first</a:t>"
                                   "</a:r></a:p></p:sld>" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_parts(fixture, "a.pptx", parts, G_N_ELEMENTS(parts));
    g_autofree char *text = read_text(fixture, "a.pptx");
    assert_text("pptx", text, "## Slide 2\n\nfirst\n\n## Slide 10\n\nlast");
}

static void test_xlsx(void **state G_GNUC_UNUSED)
{
    static const Part parts[] = {
        { "xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='Data' r:id='rId1'/>"
                             "</sheets></workbook>" },
        { "xl/_rels/workbook.xml.rels", "<Relationships><Relationship Id='rId1' "
                                        "Target='worksheets/sheet1.xml'/></Relationships>" },
        { "xl/sharedStrings.xml", "<sst><si><t>name</t></si><si><r><t>a</t></r><r><t>b</t></r></si>"
                                  "</sst>" },
        { "xl/worksheets/sheet1.xml",
          "<worksheet><sheetData><row><c r='A1' t='s'><v>0</v></c><c r='C1'><v>1.5</v></c></row>"
          "<row><c r='B2' t='s'><v>1</v></c><c r='C2' t='inlineStr'><is><t>in</t></is></c>"
          "<c r='D2' t='s'><v>99</v></c></row></sheetData></worksheet>" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_parts(fixture, "a.xlsx", parts, G_N_ELEMENTS(parts));
    g_autofree char *text = read_text(fixture, "a.xlsx");
    assert_text("xlsx", text,
                "## Data\n\n| name |  | 1.5 |\n| --- | --- | --- |\n|  | ab | in |  |");
}

static void test_epub(void **state G_GNUC_UNUSED)
{
    static const Part parts[] = {
        { "META-INF/container.xml", "<container><rootfiles><rootfile full-path='OEBPS/c.opf'/>"
                                    "</rootfiles></container>" },
        { "OEBPS/c.opf", "<package><manifest><item id='a' href='a%20b.xhtml'/><item id='b' "
                         "href='../b.xhtml'/></manifest><spine><itemref idref='b'/><itemref "
                         "idref='a'/></spine></package>" },
        { "OEBPS/a b.xhtml", "<html><head><title>no</title></head><body><p>second</p></body>"
                             "</html>" },
        { "b.xhtml", "<!DOCTYPE html PUBLIC 'x' 'file:///etc/passwd'><html><body><h1>One</h1>\n"
                     "<p>a&nbsp;b\n   c</p><ul><li>x</li></ul></body></html>" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_parts(fixture, "a.epub", parts, G_N_ELEMENTS(parts));
    g_autofree char *text = read_text(fixture, "a.epub");
    assert_text("epub", text, "# One\n\na b c\n\n- x\n\nsecond");
}

static void test_rtf(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.rtf",
                     "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator x;}\r\n"
                     "caf\\'e9 \\u8364?{\\b bold}\\par a\\tab b\\{\\}\\uc0\\u233\\line end}");
    g_autofree char *text = read_text(fixture, "a.rtf");
    assert_text("rtf", text, "café €bold\na\tb{}é\nend");
}

/* What cannot be read is said, and is no error. */
static void test_failures(void **state G_GNUC_UNUSED)
{
    static const Part no_xml[] = { { "word/document.xml", "<w:document" } };
    static const Part bomb[] = {
        { "word/document.xml",
          "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b "
          "'&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d "
          "'&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'><!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f "
          "'&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'><!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'>]>"
          "<d><p><t>&g;</t></p></d>" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    put_parts(fixture, "broken.docx", no_xml, 1);
    put_parts(fixture, "bomb.docx", bomb, 1);
    put_parts(fixture, "other.xlsx", no_xml, 1);
    tool_fixture_put(fixture, "text.docx", "no archive");
    tool_fixture_put(fixture, "old.doc", "x");
    tool_fixture_put(fixture, "no.rtf", "x");
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "broken.docx", "[Cannot read .docx file: word/document.xml: line 1: " },
        { "bomb.docx", "[Cannot read .docx file: word/document.xml: line 1: limit on input" },
        { "other.xlsx", "[Cannot read .xlsx file: xl/workbook.xml is missing]" },
        { "text.docx", "[Cannot read .docx file: text.docx: " },
        { "old.doc", "[Cannot read .doc file: the old binary format is not supported" },
        { "no.rtf", "[Cannot read .rtf file: it does not begin as RTF does]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = read_text(fixture, cases[i].path);
        assert_contains(cases[i].path, text, cases[i].want);
    }
    g_autofree char *raw = read_text(fixture, "no.rtf:raw");
    assert_text("raw", raw, "x");
}

/* pdftotext is another program: one that we put in its place. */
static void test_pdf(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *script, *want;
    } cases[] = {
        { "#!/bin/sh\nprintf 'page one\\n'\n", "page one" },
        { "#!/bin/sh\necho 'Syntax Error: no trailer' >&2\nexit 1\n",
          "[Cannot read .pdf file: pdftotext: Syntax Error: no trailer]" },
        { NULL, "[Cannot read .pdf file: pdftotext is not installed (package poppler-utils)]" },
    };
    g_autofree char *before = g_strdup(g_getenv("PATH"));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        tool_fixture_put(fixture, "a.pdf", "%PDF-1.4\n");
        if (cases[i].script) {
            g_autofree char *program = g_build_filename(fixture->cwd, "pdftotext", NULL);
            tool_fixture_put(fixture, "pdftotext", cases[i].script);
            assert_int_equal(chmod(program, 0700), 0);
        }
        assert_true(g_setenv("PATH", fixture->cwd, TRUE));
        g_autofree char *text = read_text(fixture, "a.pdf");
        assert_text("pdf", text, cases[i].want);
        assert_true(g_setenv("PATH", before, TRUE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_docx), cmocka_unit_test(test_pptx), cmocka_unit_test(test_xlsx),
        cmocka_unit_test(test_epub), cmocka_unit_test(test_rtf),  cmocka_unit_test(test_failures),
        cmocka_unit_test(test_pdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
