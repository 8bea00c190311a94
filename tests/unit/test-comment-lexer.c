/*
 * The comment lexer: rows G-01, G-10 to G-12 and G-14 of agent-tools-cli §10, hostile texts, and
 * how languages are told.
 */
#include "unit.h"

#include "agenttools/comments/comment_text.h"
#include "lang/lexer.h"

static const Language *language_of(const char *name)
{
    const Language *language = language_find(name);
    if (!language)
        fail_msg("no language %s", name);
    return language;
}

/* The comments' texts, joined with "¦". Caller frees. */
static char *contents(const GArray *comments, const char *text)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        g_string_append(out, i > 0 ? "¦" : "");
        g_string_append_len(out, text + comment->start, (gssize)(comment->end - comment->start));
    }
    return g_string_free(out, FALSE);
}

static GArray *lex(const char *language, const char *text, unsigned flags)
{
    return comment_lex(language_of(language), text, strlen(text), flags);
}

static void expect(const char *row, const char *language, const char *text, unsigned flags,
                   const char *want)
{
    g_autoptr(GArray) comments = lex(language, text, flags);
    g_autofree char *got = contents(comments, text);
    if (strcmp(got, want) != 0)
        fail_msg("%s, %s:\n%s\n--- got\n%s\n--- want\n%s", row, language, text, got, want);
}

typedef struct Case {
    const char *language, *text, *want;
} Case;

static void expect_cases(const char *row, const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(row, cases[i].language, cases[i].text, 0, cases[i].want);
}

// ---- G-01: agent-tools-cli §7.5 ----

static void test_string_in_every_language(void **state G_GNUC_UNUSED)
{
    g_autofree const char **names = language_names();
    for (const char **name = names; *name; name++) {
        bool is_php = strcmp(*name, "php") == 0;
        expect("cli-G-01", *name,
               is_php ? "<?php\ns = \"http://x # y\"\n" : "s = \"http://x # y\"\n", 0, "");
    }
}

static void test_edge_cases(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "python", "x = 1  # note\n", "# note" },
        { "c", "/* a */ x(); /* b */ // c\n", "/* a */¦/* b */¦// c" },
        { "c", "/* a /* b */ c */\n", "/* a /* b */" },
        { "cpp", "/* a /* b */ c */\n", "/* a /* b */" },
        { "rust", "/* a /* b */ c */\n", "/* a /* b */ c */" },
        { "kotlin", "/* a /* b */ c */\n", "/* a /* b */ c */" },
        { "swift", "/* a /* b */ c */\n", "/* a /* b */ c */" },
        { "scala", "/* a /* b */ c */\n", "/* a /* b */ c */" },
        { "c", "// a /* b\nint c;\n", "// a /* b" },
        { "javascript", "url = '//cdn'\n", "" },
        { "javascript", "`${/* c */ x} // t`\n", "/* c */" },
        { "javascript", "a = b / c; // d\n", "// d" },
        { "javascript", "r = /\\/\\/[/*]/g\n", "" },
        { "python", "\"\"\"Docstring\"\"\"\n", "" },
        { "shell", "cat <<EOF\n# not me\nEOF\n", "" },
        { "shell", "echo a#b $# ${x#y}\n", "" },
        { "yaml", "key: \"a # b\"\n", "" },
        { "yaml", "key: a#b\n", "" },
        { "yaml", "key: a # b\n", "# b" },
        { "yaml", "run: |\n  # text\nnext: 1\n", "" },
        { "shell", "#!/bin/sh\n#! x\n", "#! x" },
        { "rust", "fn f<'a>(x: &'a str) // c\n", "// c" },
        { "html", "<a href=\"//x\"><!-- c --></a>\n", "<!-- c -->" },
        { "html", "<script>// d</script>\n", "// d" },
        { "php", "<?php # a ?> # text\n", "# a" },
        { "c", "x\n/* open\n y\n", "/* open\n y" },
        { "c", "//\n", "//" },
    };
    expect_cases("cli-G-01", cases, G_N_ELEMENTS(cases));
}

static void test_docstrings(void **state G_GNUC_UNUSED)
{
    static const char text[] = "#!/usr/bin/python3\n"
                               "# first\n"
                               "\"\"\"module\"\"\"\n"
                               "\"\"\"no: second\"\"\"\n"
                               "class A(object):\n"
                               "    r'''class'''\n"
                               "    x = {'a': 1}\n"
                               "    'no: attribute'\n"
                               "    async def f(self, a: int = 3,\n"
                               "                b: str = \":\") -> Dict[str, int]:  # why\n"
                               "\n"
                               "        # before\n"
                               "        \"method\"\n"
                               "        if a: \"no\"\n"
                               "        return f'no'\n"
                               "def g(): 'one line'; 'no'\n"
                               "def h():\n"
                               "    b'no: bytes'\n";
    expect("cli-G-01", "python", text, LEX_DOCSTRINGS,
           "# first¦\"\"\"module\"\"\"¦'''class'''¦# why¦# before¦\"method\"¦'one line'");
    expect("cli-G-01", "python", text, 0, "# first¦# why¦# before");
    g_autoptr(GArray) comments = lex("python", text, LEX_DOCSTRINGS);
    const Comment *module = &g_array_index(comments, Comment, 1);
    assert_int_equal(module->kind, COMMENT_DOC);
    assert_true(module->is_delimited);
}

// ---- G-10, G-11 ----

static void test_javascript(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "javascript", "a = b / c / d // x\n", "// x" },
        { "javascript", "x = y.match(/\\/*$/)\n", "" },
        { "javascript", "`1 ${`2 ${`3 ${/* in */ f({a: '}'})} // t`} /* t */`} // t` // out\n",
          "/* in */¦// out" },
        { "javascript", "return /a//b/\n", "" },
        { "javascript", "x = a++ / 2 // c\n", "// c" },
        { "javascript", "x = ++/re/.lastIndex /2 // c\n", "// c" },
        { "javascript", "if (x) { y } /re\\/*/.test(z) // c\n", "// c" },
        { "javascript", "x = /* a */ /b\\/*/ // c\n", "/* a */¦// c" },
        { "javascript", "x = y /* a */ / z // c\n", "/* a */¦// c" },
        { "javascript", "o.return / 2 // c\n", "// c" },
        { "javascript", "/[/]\\/*/.test(a) // c\n", "// c" },
        { "javascript", "a = 1 /\n2 // c\n", "// c" },
        { "javascript", "<a>// t {b /* c */} 'd</a> // e\n", "/* c */¦// e" },
        { "typescript", "a = b! / 2 // c\n", "// c" },
        { "typescript", "let f = <T>(x: T) => x // c\n", "// c" },
        { "tsx", "type F = <T>(x: T) => void // c\n", "// c" },
    };
    expect_cases("cli-G-10", cases, G_N_ELEMENTS(cases));
}

static void test_ruby_and_perl(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "ruby", "a = b ? 'x' : \"y\" # c\n", "# c" },
        { "ruby", "a = b ?'x#':'y' # c\n", "# c" },
        { "ruby", "[?#, ?\", ?'] # c\n", "# c" },
        { "ruby", "a.empty? # c\n", "# c" },
        { "ruby", "a / b # c / d\n", "# c / d" },
        { "ruby", "split /\"#/ # c\n", "# c" },
        { "ruby", "gsub(/\"#/, '') # c\n", "# c" },
        { "ruby", "x % 3 # c\ny %w[# #] # d\n", "# c¦# d" },
        { "ruby", "class << self # c\n  x <<A, y # d\n# no\nA\nend # e\n", "# c¦# d¦# e" },
        { "ruby", "list << \"# no\" # c\n", "# c" },
        { "ruby", "\"#{x # in\n}\" # c\n", "# in¦# c" },
        { "ruby", "=begin\nno end\n", "=begin\nno end" },
        { "perl", "$p =~ s{^(//[^/]+)/?\\z}{}s || $q; # c\n", "# c" },
        { "perl", "s{a}{ f() # in\n}gex; # c\n", "# in¦# c" },
        { "perl", "$x =~ m,#, ? $h{s} : $#{$y}; # c\n", "# c" },
        { "perl", "y => 1, s => '#'; # c\n", "# c" },
        { "perl", "$h{a} / $h{b}; # c / d\n", "# c / d" },
        { "perl", "=pod\n\ntext\n", "=pod\n\ntext" },
        { "elixir", "x ?\" # no\n", "" },
    };
    expect_cases("quotes", cases, G_N_ELEMENTS(cases));
}

static void test_shell(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "shell", "echo ${#x} $# a#b\n", "" },
        { "shell", "cat <<'EOF'\n# $(no\nEOF\n# yes\n", "# yes" },
        { "shell", "cat <<-EOF\n\t# no\n\tEOF\n# yes\n", "# yes" },
        { "shell", "echo $'#' $'\\' # no' # yes\n", "# yes" },
        { "shell", "cat <<<'# no' <<< x # yes\n", "# yes" },
        { "shell", "cat <<A <<B # yes\n# no\nA\n# no\nB\n# yes\n", "# yes¦# yes" },
        { "shell", "cat << \\EOF | tr a b\n# no\nEOF\n", "" },
        { "shell", "x=\"$(cat <<EOF\n# no \"\nEOF\n)\" # yes\n", "# yes" },
        { "shell", "x=$(case a in a) b;; esac # yes\n)\n# yes\n", "# yes¦# yes" },
        { "shell", "echo \"${x:-\"# no\"}\" ${y/#a/b} # yes\n", "# yes" },
        { "shell", "(( x = 1 << 2 )) # yes\n", "# yes" },
        { "shell", "((echo a) | cat) # yes\n# yes\n", "# yes¦# yes" },
        { "shell", "echo `# in` out # yes\n", "# in¦# yes" },
        { "shell", "f() { echo \"it's # no\"; } # yes\n", "# yes" },
    };
    expect_cases("cli-G-11", cases, G_N_ELEMENTS(cases));
}

// ---- G-12: bytes ----

static void expect_text(const char *name, const char *data, size_t size, const char *want)
{
    g_auto(CommentText) text = { 0 };
    comment_text_init(&text, data, size);
    g_autoptr(GArray) comments = comment_lex(language_of("c"), text.data, text.size, 0);
    GString *got = g_string_new(NULL);
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        g_string_append_printf(got, "%zu-%zu:%zu %.*s|", comment->line, comment->end_line,
                               comment->column, (int)(comment->end - comment->start),
                               text.data + comment->start);
    }
    if (strcmp(got->str, want) != 0)
        fail_msg("cli-G-12 %s: got '%s', want '%s'", name, got->str, want);
    g_string_free(got, TRUE);
}

static void test_bytes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data, *want;
    } cases[] = {
        { "CRLF", "a\r\n// b\r\n/* c\r\n d */\r\n", "2-2:1 // b|3-4:1 /* c\n d */|" },
        { "lone CR", "a\r// b\r/* c\rd */ // e", "2-2:1 // b|3-4:1 /* c\nd */|4-4:6 // e|" },
        { "byte-order mark", "\xef\xbb\xbf// b\n", "1-1:1 // b|" },
        { "invalid UTF-8", "\xff\xc3( // b\xff\n", "1-1:5 // b\xef\xbf\xbd|" },
        { "code points", "\xc3\xa9\xf0\x9f\x98\x80 /**/ // b\n", "1-1:4 /**/|1-1:9 // b|" },
        { "no newline at the end", "a\n\n// b", "3-3:1 // b|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_text(cases[i].name, cases[i].data, strlen(cases[i].data), cases[i].want);
    expect_text("a NUL", "// a\0b\n", 7,
                "1-1:1 // a\xef\xbf\xbd"
                "b|");
}

static void test_git_lines(void **state G_GNUC_UNUSED)
{
    g_auto(CommentText) text = { 0 };
    static const char data[] = "a\rb\r\nc\rd\n";
    comment_text_init(&text, data, strlen(data));
    assert_int_equal(text.line_count, 4);
    assert_int_equal(comment_text_git_line(&text, 1, 0), 1);
    assert_int_equal(comment_text_git_line(&text, 2, 2), 1);
    assert_int_equal(comment_text_git_line(&text, 3, 4), 2);
    assert_int_equal(comment_text_git_line(&text, 4, 6), 2);
}

// ---- what a comment is ----

/* "line" "block" "doc", with T for trailing, D for a directive, U for unterminated. Caller frees.
 */
static char *describe(const GArray *comments)
{
    static const char *const kinds[] = { "line", "block", "doc" };
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        g_string_append_printf(out, "%s%s%s%s%s", i > 0 ? " " : "", kinds[comment->kind],
                               comment->is_trailing ? "T" : "", comment->is_directive ? "D" : "",
                               comment->is_unterminated ? "U" : "");
    }
    return g_string_free(out, FALSE);
}

static void test_sorts(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "c", "/** a */ /*! b */ /**/ /*** c */ /* d */", "doc doc block block block" },
        { "rust", "/// a\n//! b\n//// c\n// d", "doc doc line line" },
        { "r", "#' a\n##' b\n# c", "doc doc line" },
        { "python", "##' a\n#' b", "doc line" },
        { "c", "/* a */ x(); /* b */ // c\n/* d\n*/ // e", "block blockT lineT block line" },
        { "c", "x /* open", "blockTU" },
        { "python", "x  # noqa: E501\n# type: ignore\n# pylint: disable=a\n# a  # noqa",
          "lineTD lineD lineD lineD" },
        { "python", "# noqality\n# why noqa\n# coverage: ignore", "line line lineD" },
        { "javascript",
          "// eslint-disable\n// @ts-ignore\n/* istanbul ignore next */\n"
          "// prettier-ignore",
          "lineD lineD blockD lineD" },
        { "go", "//go:build x\n// +build x\n// go:x", "lineD lineD line" },
        { "cpp", "x; // NOLINT(a)\n// clang-format off", "lineTD lineD" },
        { "shell",
          "# shellcheck disable=SC1\n# vim: ts=4\n# -*- mode: sh -*-\n"
          "# SPDX-License-Identifier: MIT",
          "lineD lineD lineD lineD" },
        { "haskell", "{-# LANGUAGE A #-} -- a", "blockD line" },
        { "pascal", "{$R+} { a }", "blockD block" },
        { "dockerfile", "# syntax=a\n# escape = `\n# a=b", "lineD lineD line" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) comments = lex(cases[i].language, cases[i].text, 0);
        g_autofree char *got = describe(comments);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n%s\ngot '%s', want '%s'", cases[i].language, cases[i].text, got,
                     cases[i].want);
    }
}

static void test_merge(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "c", "// 1\n// 2\n// 3\n// 4\n// 5\n", "// 1\n// 2\n// 3\n// 4\n// 5" },
        { "c", "// 1\n\n// 2\n", "// 1¦// 2" },
        { "c", "// 1\n  // 2\n", "// 1¦// 2" },
        { "c", "x; // 1\n   // 2\ny; // 3\n", "// 1\n   // 2¦// 3" },
        { "c", "// 1\n/* 2 */\n// 3\n", "// 1¦/* 2 */¦// 3" },
        { "c", "/// 1\n// 2\n// NOLINT\n", "/// 1¦// 2¦// NOLINT" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) comments = lex(cases[i].language, cases[i].text, 0);
        comment_merge(comments);
        g_autofree char *got = contents(comments, cases[i].text);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("cli-G-13:\n%s\n--- got\n%s\n--- want\n%s", cases[i].text, got, cases[i].want);
    }
}

// ---- languages ----

static void test_detection(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *text, *want; // NULL: unsupported
    } cases[] = {
        { "a/b.C", "", "cpp" },
        { "a.PY", "", "python" },
        { "a.json", "{}", NULL },
        { "a.png", "", NULL },
        { "a.unknown", "#!/bin/sh\n", NULL },
        { ".hidden", "#!/bin/sh\n", NULL },
        { "a", "text\n", NULL },
        { "a", "#!/bin/bash -e\n", "shell" },
        { "a", "#!/usr/bin/env -S LANG=C python3.11 -u\n", "python" },
        { "a", "#! /usr/bin/perl\n", "perl" },
        { "a", "#!\n", NULL },
        { "x/Makefile", "", "make" },
        { "Makefile.am", "", "make" },
        { "Dockerfile.test", "", "dockerfile" },
        { "CMakeLists.txt", "", "cmake" },
        { "notes.txt", "", NULL },
        { ".bashrc", "", "shell" },
        { ".env", "", "env" },
        { "BUILD", "", "starlark" },
        { "build", "", NULL },
        { "a.h", "int x;\n", "c" },
        { "a.h", "namespace x {}\n", "cpp" },
        { "a.h", "@interface A\n", "objective-c" },
        { "a.m", "#import <a.h>\n", "objective-c" },
        { "a.m", "function f\nend\n", "matlab" },
        { "a.s", "", "assembly" },
        { "dir.py/README", "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Language *language =
            language_detect(cases[i].path, cases[i].text, strlen(cases[i].text));
        const char *got = language != NULL ? language_name(language) : NULL;
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].path, got, cases[i].want);
    }
}

// ---- G-14: anything ----

static void check_comments(const char *language, const GArray *comments, size_t size)
{
    size_t end = 0, line = 1;
    for (guint i = 0; i < comments->len; i++) {
        const Comment *comment = &g_array_index(comments, Comment, i);
        bool is_sane = comment->start >= end && comment->end > comment->start &&
                       comment->end <= size && comment->line >= line &&
                       comment->end_line >= comment->line && comment->column >= 1;
        if (!is_sane)
            fail_msg("cli-G-14 %s: comment %u at %zu-%zu of %zu", language, i, comment->start,
                     comment->end, size);
        end = comment->end;
        line = comment->line;
    }
}

/* Bytes that mean something somewhere, and any others. */
static void test_random_bytes(void **state G_GNUC_UNUSED)
{
    static const char bytes[] = "/*/*//\"\"''``##--<<>>{}{}()[]$$%%@!?:;=~|&^+-.,\\\\\n\n\n \t_"
                                "abcEOFrqsRfend0123<!---->{#{%<?php?><a>EOF\n|>-";
    g_autofree const char **names = language_names();
    GRand *random = g_rand_new_with_seed(714);
    char text[400];
    for (unsigned round = 0; round < 200; round++) {
        size_t size = (size_t)g_rand_int_range(random, 0, sizeof text);
        for (size_t i = 0; i < size; i++) {
            bool is_any = g_rand_int_range(random, 0, 16) == 0;
            text[i] = is_any ? (char)g_rand_int_range(random, 0, 256)
                             : bytes[g_rand_int_range(random, 0, sizeof bytes - 1)];
        }
        // a buffer of its own, so that a sanitizer sees a read behind it
        g_autofree char *copy = g_memdup2(text, MAX(size, 1));
        for (const char **name = names; *name; name++) {
            g_autoptr(GArray) comments =
                comment_lex(language_of(*name), copy, size, round % 2 ? LEX_DOCSTRINGS : 0);
            check_comments(*name, comments, size);
        }
    }
    g_rand_free(random);
}

/* What would take hours if some text were read again and again. */
static void test_hostile_texts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *language, *unit;
    } cases[] = {
        { "javascript", "=/[" }, { "javascript", "`${" },
        { "tsx", "<a<" },        { "haskell", "--" },
        { "markdown", "~" },     { "markdown", "`` ` " },
        { "yaml", "| " },        { "shell", "$((" },
        { "csharp", "\"\"\"" },  { "cpp", "R\"a" },
        { "c", "1'" },           { "c", "/**/" },
        { "rust", "/*" },        { "html", "<script>" },
        { "perl", "s/" },        { "ruby", "<<A " },
        { "python", "f'{x:" },   { "lua", "[==" },
        { "sql", "$a" },         { "handlebars", "{{\"" },
        { "assembly", "' " },    { "matlab", "%{\n" },
        { "tex", "\\begin{" },   { "make", "\t\"#\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new(NULL);
        while (text->len < COMMENT_FILE_MAX_BYTES / 2)
            g_string_append(text, cases[i].unit);
        g_autoptr(GArray) comments =
            comment_lex(language_of(cases[i].language), text->str, text->len, 0);
        check_comments(cases[i].language, comments, text->len);
        g_string_free(text, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_string_in_every_language),
        cmocka_unit_test(test_edge_cases),
        cmocka_unit_test(test_docstrings),
        cmocka_unit_test(test_javascript),
        cmocka_unit_test(test_ruby_and_perl),
        cmocka_unit_test(test_shell),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_git_lines),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_detection),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
