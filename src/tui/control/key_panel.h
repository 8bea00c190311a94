/*
 * A panel that takes a key of a provider, which is not shown (agent-core §2.11): as many dots as it
 * has characters. Enter takes it, Escape does not; a paste is the usual way to give one.
 */
#pragma once

#include "tui/view/panel.h"

enum { LIMIT_KEY_BYTES = 16 * 1024 };

typedef struct KeyPanelSpec {
    const char *provider; // copied
    const Theme *theme;   // borrowed
    /* And it is PANEL_DONE. NULL: none was given; the text is wiped afterwards. */
    void (*given)(const char *provider, const char *key, void *user_data);
    void *user_data;
} KeyPanelSpec;

Panel *key_panel_new(const KeyPanelSpec *spec);
