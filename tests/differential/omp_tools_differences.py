"""Why kedge answers differently from the recorded agent (omp_tools.py). Keys are record ids or shell patterns of them."""

# What kedge has not: the record is not replayed.
NOT_BUILT = {
    "read-url-*": "no web reads",
    "write-plan-*": "no plan mode", "edit-patch-plan-*": "no plan mode",
}

# What differs on purpose.
ARGUMENTS = "arguments are coerced and refused in words of our own"
CLOSEST = "an edit replaces nothing that differs in letters, digits or operators, and shows the closest place"
SHOWN = "a file is named as tools show it"
SHELL_ENDED = "says that the shell ended, and what is lost with it"
VALUE = "a refusal names the value and the next step"
EVAL_ERROR = "a cell that failed, was stopped or has no kernel is an error"
TRACEBACK = "a traceback has no frames of the kernel, and shows the line"
OLD_GREP = "the older layout and rules of 13.19"
ONE_LINE = "a line that both ends of a range name counts once"
SHOWN_WHOLE = "a file of less than 200 lines is shown whole"
NO_EDIT = "edit changes no member of an archive, so its lines have no anchors"
DIFFERENCES = {
    "edit-hl-header-trailing-at": "a header may end as it begins", "edit-hl-abort-marker": "a call that broke off says so",
    "edit-hl-single-anchor-replace": "the example of a range is one",
    "edit-hl-stale-replace-one": ONE_LINE, "edit-hl-stale-range-start": ONE_LINE, "edit-hl-chain-with-old-anchors": ONE_LINE,
    "edit-hl-two-files-one-stale": "names the file, and " + ONE_LINE, "edit-hl-bom-first-line-read-anchor": ONE_LINE,
    "edit-hl-lone-cr-read-anchor": "read and edit agree on what is a line",
    "edit-hl-stale-recovered-punct": SHOWN_WHOLE,
    "edit-hl-create-eof-nested": "a new file ends with a newline",
    "edit-hl-absorb-brace-balanced": "of two equal lines another is shown as new",
    "edit-hl-absorb-blocked-by-op": "of two equal lines another is shown as new",
    "astgrep-anchor-then-edit": ONE_LINE, "edit-env-variant-bad": "the variable is our own",
    "read-summary-c": SHOWN_WHOLE, "read-summary-plain-c": SHOWN_WHOLE, "read-summary-numbers": SHOWN_WHOLE,
    "read-summary-py": SHOWN_WHOLE, "read-summary-min": SHOWN_WHOLE,
    "read-zip-file": NO_EDIT, "read-tgz-file": NO_EDIT,
    "edit-hl-generated-name": "the name shows that the file is generated", "edit-hl-directory": "says what the path is",
    "read-nul": "a binary file is said to be one", "read-nul-plain": "a binary file is said to be one",
    "read-first-line-too-long": "the beginning of a long line is shown, and the next line suggested",
    "read-first-line-too-long-plain": "the same line is never suggested again",
    "read-sel-literal-name": "a file whose name ends like a selector wins",
    "read-local-list": "the words about the folder are our own", "search-url": "a call without a session says so",
    "read-artifact-missing": "a call without a session says so", "bash-artifact-missing": "a call without a session says so",
    "read-dir-range": "what is not listed is counted in one line",
    "read-path-number": ARGUMENTS, "read-image-inspect": "an image is shown where nobody can be asked about it",
    "read-zip-root": "directories come first", "read-zip-dir": "directories come first",
    "read-tar-root": "directories come first", "read-tgz-dir": "directories come first",
    "read-zip-broken": "the file is named",
    "read-conflict-uri-bad": "the scopes are named", "write-notebook": "a notebook stays one",
    "write-sqlite-bad-json": "the place in the text is named",
    "write-onto-directory": "says what the path is", "edit-rep-directory": "says what the path is",
    "edit-rep-two-found": "names the file", "edit-rep-seven-found": "names the file",
    "edit-rep-not-found": CLOSEST, "edit-rep-not-found-close": CLOSEST, "edit-rep-fuzzy-two-alike": CLOSEST,
    "edit-rep-fuzzy-threshold": CLOSEST,
    "edit-rep-overlapping": "places that overlap are several",
    "edit-rep-fuzzy-indent-tabs": "the replacement is indented as the file is",
    "edit-rep-several-one-fails": "the edits of a call are made all or none",
    "edit-patch-delete-missing": SHOWN, "edit-patch-update-missing": SHOWN,
    "edit-patch-update-context-ambiguous": SHOWN, "edit-patch-update-ambiguous": SHOWN,
    "edit-patch-update-context-not-found": "a context that the file has not is an error, however unique the old lines",
    "edit-patch-update-comment-prefix": CLOSEST, "edit-patch-update-same": "says that nothing changed",
    "edit-patch-create-exists": "what a new file replaces is shown",
    "edit-rep-bom": "a byte order mark stays",
    "edit-rep-extra-field": ARGUMENTS, "edit-rep-edits-object": ARGUMENTS,
    "bash-signal-child": "bash itself says that a child was killed",
    "bash-exit-3": SHELL_ENDED, "bash-exit-negative": SHELL_ENDED, "bash-state-set-e": SHELL_ENDED,
    "bash-timeout-zero": "a timeout of 0 is none given",
    "bash-cd-dash": "what only the shell understands is left to it", "bash-cd-escaped": "an escaped blank is a blank",
    "bash-big-fail": "a failed command names what was cut and the artifact, too",
    "bash-interceptor-cd-grep": "names our tool, and the command as it was given",
    "find-missing": "names the entry as it was asked for", "find13-missing": "names the entry as it was asked for",
    "find-limit-zero": VALUE, "find-limit-negative": VALUE, "grep13-limit-negative": VALUE,
    "todo-init-empty-items": ARGUMENTS,
    "find-empty-list": ARGUMENTS, "find-base-is-file": "names the path as it was asked for",
    "search-long-line": "a cut line ends in one character", "search-long-line-plain": "a cut line ends in one character",
    "search-many-one-file": "lines behind the last match of a page are shown as its context",
    "search-many-one-file-plain": "lines behind the last match of a page are shown as its context",
    "search-two-windows": "lines behind the last match of a page are shown as its context",
    "search-brace-literal": "a dollar in front of a literal brace is itself",
    "search-brace-open": "what the pattern would find as plain text is said",
    "search-bad-class": "the regular expression's error on one line",
    "search-empty-paths": "an empty list is no list", "search-string-path": ARGUMENTS,
    "search-skip-negative": "skip is another name of offset",
    "grep13-path-glob": OLD_GREP, "grep13-type-cpp": OLD_GREP, "grep13-limit-zero": OLD_GREP, "grep13-offset": "a page is a slice of the matches dealt out among the files",
    "grep13-multiline*": "every line of a match is marked",
    "find13-dir": OLD_GREP, "find13-deep": OLD_GREP, "find13-directory": OLD_GREP,
    "eval-js-throw": EVAL_ERROR, "eval-js-cell-fails": EVAL_ERROR, "eval-js-timeout": EVAL_ERROR, "eval-js-loop-timeout": EVAL_ERROR,
    "eval-js-process-exit": EVAL_ERROR, "eval-py-loop-timeout": EVAL_ERROR, "eval-both-off": "says what would turn it on",
    "eval-js-image": "a broken image is said to be one", "eval-js-ts": "what Node cannot strip of its types is a syntax error",
    "eval-py-syntax": TRACEBACK, "eval-py-cell-fails": TRACEBACK, "eval-unknown-language": TRACEBACK,
    "eval-py-image": "IPython may be there or not", "eval-py-input": "nobody can answer, so it fails at once",
    "eval-py-async": "await works at top level", "eval-py-shell": "the output of a command is shown once",
}
