/*
 * The arrays that tools/gen-command-table writes; read them through command_table.h.
 */
#pragma once

#include "github/classify/command_table.h"

extern const CommandNode command_nodes[]; // the root first, children of one parent together
extern const size_t command_nodes_count;
extern const CommandFlag command_flags[]; // --help first, then node by node
extern const size_t command_flags_count;
extern const CommandRule command_rules[];
extern const size_t command_rules_count;
extern const CommandRef command_refs[];
extern const size_t command_refs_count;
extern const char command_texts[];
