/*
 * Secrets out of text: known values (base/mask.h), then token shapes, URL credentials and
 * parameters (gh-policy §8.3–8.5). For what people read; what a model gets is masked with
 * base/mask.h alone. Thread safe.
 */
#pragma once

/* Every occurrence becomes [REDACTED]. Callers free. `secrets` (NULL or NULL-terminated) are
   further known values: those that redact_argv() masked (gh-policy §8.5). */
char *redact_text(const char *text);
char *redact_text_with(const char *text, const char *const *secrets);
/* For what a command printed, which must stay readable: GitHub's tokens and known values only. */
char *redact_output(const char *text, const char *const *secrets);
