/*
 * The `mermaid` engine (agent-tools-cli §8.4): the real parser, in one Node.js process for all
 * diagrams of a call. Needs Node.js 20 and KEDGE_MERMAID_DIR, a folder whose node_modules has
 * mermaid and jsdom. The child has no network and none of our environment but PATH.
 */
#pragma once

#include "agenttools/mermaid/mmd.h"
#include "base/cancel.h"

#define MMD_ENGINE_MISSING                                                                         \
    "The mermaid engine needs Node.js 20 or newer and KEDGE_MERMAID_DIR with mermaid and jsdom "   \
    "installed"

/* Is KEDGE_MERMAID_DIR set? */
bool mmd_engine_is_set_up(void);

/*
 * Asks the real parser about `count` diagrams. Each of `verdicts` is that of mmd_check() and
 * becomes the real parser's: its places are mapped back to the text that was given, and what it
 * does not say (a type, a place, a hint) stays as it was. NOT_FOUND with MMD_ENGINE_MISSING when
 * the engine is not there; FAILED, CANCELLED.
 */
bool mmd_engine_check(const char *const *texts, MmdVerdict *const *verdicts, size_t count,
                      Cancel *cancel, GError **error);
