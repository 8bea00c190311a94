/*
 * The built-in themes as JSON texts; their files are beside this one.
 */
#pragma once

extern const char kedge_dark_json[];
extern const char kedge_light_json[];
