/*
 * CHANGELOG.md, which becomes part of the program (tools/embed --text).
 */
#pragma once

extern const char CHANGELOG_md[];
