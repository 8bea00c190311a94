/*
 * Samples of every language (tests/data/comments): row G-09 of agent-tools-cli §10.
 *
 * In a sample every comment has the word `yes` once, and what is no comment never has it.
 */
#include "unit.h"

#include "base/file.h"
#include "lang/lexer.h"

typedef struct Sample {
    const char *file, *language;
    unsigned single, multi; // comments of both types
} Sample;

static const Sample samples[] = {
    { "Dockerfile.sample", "dockerfile", 4, 0 },
    { "Makefile.sample", "make", 7, 0 },
    { "Sample.java", "java", 3, 2 },
    { "matlab.m", "matlab", 6, 1 },
    { "mysql.sql", "sql", 3, 1 },
    { "sample.R", "r", 6, 0 },
    { "sample.S", "assembly", 2, 1 },
    { "sample.adb", "ada", 3, 0 },
    { "sample.asm", "assembly", 7, 1 },
    { "sample.astro", "astro", 2, 2 },
    { "sample.awk", "awk", 3, 0 },
    { "sample.bat", "batch", 4, 0 },
    { "sample.bzl", "starlark", 3, 0 },
    { "sample.c", "c", 4, 3 },
    { "sample.clj", "clojure", 2, 0 },
    { "sample.cmake", "cmake", 4, 2 },
    { "sample.cpp", "cpp", 4, 1 },
    { "sample.cr", "crystal", 5, 0 },
    { "sample.cs", "csharp", 8, 1 },
    { "sample.css", "css", 0, 3 },
    { "sample.d", "d", 5, 2 },
    { "sample.dart", "dart", 6, 1 },
    { "sample.el", "emacs-lisp", 3, 0 },
    { "sample.elm", "elm", 3, 1 },
    { "sample.env", "env", 1, 0 },
    { "sample.erb", "erb", 0, 2 },
    { "sample.erl", "erlang", 4, 0 },
    { "sample.ex", "elixir", 7, 0 },
    { "sample.f", "fortran", 5, 0 },
    { "sample.f90", "fortran", 3, 0 },
    { "sample.fish", "fish", 3, 0 },
    { "sample.fs", "fsharp", 7, 1 },
    { "sample.glsl", "glsl", 2, 1 },
    { "sample.go", "go", 6, 1 },
    { "sample.graphql", "graphql", 2, 0 },
    { "sample.groovy", "groovy", 8, 1 },
    { "sample.h", "cpp", 2, 1 },
    { "sample.hbs", "handlebars", 0, 3 },
    { "sample.hlsl", "hlsl", 1, 1 },
    { "sample.hs", "haskell", 4, 2 },
    { "sample.html", "html", 2, 4 },
    { "sample.ini", "ini", 3, 0 },
    { "sample.j2", "jinja", 0, 2 },
    { "sample.jl", "julia", 5, 1 },
    { "sample.js", "javascript", 6, 3 },
    { "sample.json5", "json5", 1, 1 },
    { "sample.jsonc", "jsonc", 1, 1 },
    { "sample.jsx", "jsx", 2, 5 },
    { "sample.kt", "kotlin", 4, 3 },
    { "sample.less", "less", 2, 1 },
    { "sample.lisp", "lisp", 3, 1 },
    { "sample.lua", "lua", 6, 2 },
    { "sample.m", "objective-c", 1, 1 },
    { "sample.md", "markdown", 1, 2 },
    { "sample.ml", "ocaml", 0, 5 },
    { "sample.nim", "nim", 6, 1 },
    { "sample.nix", "nix", 3, 1 },
    { "sample.octave", "matlab", 3, 1 },
    { "sample.pas", "pascal", 2, 3 },
    { "sample.php", "php", 7, 1 },
    { "sample.pl", "perl", 14, 1 },
    { "sample.pro", "prolog", 4, 1 },
    { "sample.properties", "properties", 2, 0 },
    { "sample.proto", "protobuf", 3, 1 },
    { "sample.ps1", "powershell", 6, 1 },
    { "sample.purs", "purescript", 2, 1 },
    { "sample.py", "python", 8, 0 },
    { "sample.rb", "ruby", 13, 1 },
    { "sample.rs", "rust", 7, 1 },
    { "sample.scala", "scala", 5, 1 },
    { "sample.scm", "scheme", 2, 1 },
    { "sample.scss", "scss", 3, 1 },
    { "sample.sed", "sed", 5, 0 },
    { "sample.sh", "shell", 15, 0 },
    { "sample.sol", "solidity", 2, 1 },
    { "sample.sql", "sql", 4, 1 },
    { "sample.svelte", "svelte", 1, 2 },
    { "sample.svg", "svg", 0, 1 },
    { "sample.swift", "swift", 5, 2 },
    { "sample.tcl", "tcl", 3, 0 },
    { "sample.tex", "tex", 4, 0 },
    { "sample.tf", "hcl", 4, 1 },
    { "sample.thrift", "thrift", 3, 1 },
    { "sample.toml", "toml", 5, 0 },
    { "sample.ts", "typescript", 5, 1 },
    { "sample.tsx", "tsx", 6, 1 },
    { "sample.twig", "twig", 0, 1 },
    { "sample.v", "verilog", 3, 1 },
    { "sample.vb", "visual-basic", 4, 0 },
    { "sample.vhd", "vhdl", 2, 0 },
    { "sample.vim", "vim", 2, 0 },
    { "sample.vue", "vue", 3, 3 },
    { "sample.wgsl", "wgsl", 2, 1 },
    { "sample.xml", "xml", 0, 2 },
    { "sample.yml", "yaml", 11, 0 },
    { "sample.zig", "zig", 3, 0 },
    { "script", "python", 1, 0 },
};

static char *read_sample(const char *file, size_t *ret_size)
{
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "comments", file, NULL);
    g_autoptr(GError) error = NULL;
    char *data = NULL;
    if (!file_read(path, 1024 * 1024, &data, ret_size, &error))
        fail_msg("%s", error->message);
    return data;
}

static unsigned count_word(const char *text, size_t size, const char *word)
{
    unsigned count = 0;
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        bool is_start = i == 0 || !g_ascii_isalnum(text[i - 1]);
        bool is_end = i + length == size || !g_ascii_isalnum(text[i + length]);
        count += is_start && is_end && memcmp(text + i, word, length) == 0;
    }
    return count;
}

static void test_samples(void **state G_GNUC_UNUSED)
{
    assert_true(G_N_ELEMENTS(samples) >= 60);
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        const Sample *sample = &samples[i];
        size_t size = 0;
        g_autofree char *text = read_sample(sample->file, &size);
        const Language *language = language_detect(sample->file, text, size);
        if (!language || strcmp(language_name(language), sample->language) != 0)
            fail_msg("cli-G-09 %s: taken for %s", sample->file,
                     language != NULL ? language_name(language) : "nothing");
        g_autoptr(GArray) comments = comment_lex(language, text, size, 0);
        unsigned single = 0, multi = 0;
        for (guint n = 0; n < comments->len; n++) {
            const Comment *comment = &g_array_index(comments, Comment, n);
            unsigned words =
                count_word(text + comment->start, comment->end - comment->start, "yes");
            if (words != 1 || comment->is_unterminated)
                fail_msg("cli-G-09 %s:%zu: `%.*s`", sample->file, comment->line,
                         (int)(comment->end - comment->start), text + comment->start);
            single += !comment->is_delimited;
            multi += comment->is_delimited;
        }
        if (count_word(text, size, "yes") != comments->len || single != sample->single ||
            multi != sample->multi)
            fail_msg("cli-G-09 %s: %u single, %u multi, %u in the text", sample->file, single,
                     multi, count_word(text, size, "yes"));
    }
}

/* Every row of the table has a sample. */
static void test_every_language_has_a_sample(void **state G_GNUC_UNUSED)
{
    g_autofree const char **names = language_names();
    for (const char **name = names; *name; name++) {
        bool is_there = false;
        for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
            is_there = is_there || strcmp(samples[i].language, *name) == 0;
        if (!is_there)
            fail_msg("no sample of %s", *name);
    }
}

static void test_inner_languages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *file, *want;
    } cases[] = {
        { "sample.vue", "vue typescript typescript typescript scss scss" },
        { "sample.svelte", "javascript svelte css" },
        { "sample.astro", "typescript typescript astro javascript" },
        { "sample.html", "html html javascript javascript css typescript" },
        { "sample.md", "yaml markdown markdown" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t size = 0;
        g_autofree char *text = read_sample(cases[i].file, &size);
        g_autoptr(GArray) comments =
            comment_lex(language_detect(cases[i].file, text, size), text, size, 0);
        GString *got = g_string_new(NULL);
        for (guint n = 0; n < comments->len; n++)
            g_string_append_printf(got, "%s%s", n > 0 ? " " : "",
                                   language_name(g_array_index(comments, Comment, n).language));
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].file, got->str);
        g_string_free(got, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_every_language_has_a_sample),
        cmocka_unit_test(test_inner_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
