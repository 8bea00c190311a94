/*
 * Secrets out of text: token shapes, URL credentials and parameters, known values (gh-policy §8.3–8.5).
 * Thread safe.
 */
#pragma once

/* Every occurrence becomes [REDACTED]. Caller frees. */
char *redact_text(const char *text);
