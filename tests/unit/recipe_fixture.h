/*
 * A project with tasks of several kinds, for the tests of the recipe tool.
 */
#pragma once

#include "tool_fixture.h"

typedef struct File {
    const char *name, *text;
} File;

static inline void put_files(const ToolFixture *fixture, const File *files)
{
    for (; files->name; files++)
        tool_fixture_put(fixture, files->name, files->text);
}

static const File all_files[] = {
    { "justfile", "both:\nj:\n" },
    { "package.json", "{\"scripts\":{\"both\":\"x\",\"p\":\"x\",\"make:x\":\"y\",\"make:m\":\"y\"},"
                      "\"workspaces\":[\"w\"]}" },
    { "w/package.json", "{\"name\":\"@a/w\",\"scripts\":{\"p\":\"x\"}}" },
    { "Cargo.toml", "" },
    { "examples/e.rs", "" },
    { "tests/p.rs", "" },
    { "Makefile", "m:\n" },
    { NULL, NULL },
};
