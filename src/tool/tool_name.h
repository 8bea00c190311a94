/*
 * Names of tools as people and models write them. Pure; thread safe.
 */
#pragma once

/* The name behind an alias, else `name` itself: an alias is taken wherever a name is read, and
   never advertised (agent-tools §1.2). */
const char *tool_name_canonical(const char *name);
