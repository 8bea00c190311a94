#!/bin/sh
# `kedge doctor`: what is missing here, and what mends it. Looks only.
. "$(dirname "$0")/lib.sh"
need_kedge

agent=$HOME/.kedge/agent
key=sk-ant-canary0000000000000000000000000001

t "a new home without a key: the model is missing, what mends it is said, and nothing is made"
rm -rf "$HOME/.kedge"
run kedge doctor
expect_exit 1
expect_empty stderr
expect_matches stdout '^missing  model  .* -> kedge login anthropic, or set ANTHROPIC_API_KEY'
expect_matches stdout '^ok  *config\.yml  .*the defaults hold$'
expect_matches stdout '^ok  *keybindings\.json '
expect_matches stdout '^ok  *theme\.dark  *kedge-dark$'
expect_matches stdout '^ok  *sessions  .*, made with the first session$'
expect_matches stdout '^ok  *sessions\.db  *not there yet'
expect_matches stdout '^ok  *locks  *none left over$'
expect_matches stdout '^ok  *libcurl\.so\.4  *can be loaded$'
expect_matches stdout '^ok  *sqlite  *[0-9]'
expect_matches stdout '^ok  *terminal  *none here$'
expect_matches stdout '^ok  *bash  */.*bash'
expect_matches stdout '^1 missing, [0-9]* warnings*$'
expect_no_file "$HOME/.kedge"

t "a key of the environment: nothing is missing, and the key is not shown"
run env ANTHROPIC_API_KEY=$key kedge doctor --fix-nothing
expect_exit 0
expect_matches stdout '^ok  *model  *anthropic/.*, key from environment \(ANTHROPIC_API_KEY\)$'
expect_matches stdout '^0 missing, '
expect_not_contains stdout "$key"
expect_no_file "$HOME/.kedge"

t "--json: the same as a list"
run env ANTHROPIC_API_KEY=$key kedge doctor --json
expect_exit 0
expect_json stdout '[id=model].status' ok
expect_json stdout '[id=locks].text' 'none left over'
expect_not_contains stdout "$key"
run kedge doctor --json
expect_exit 1
expect_json stdout '[id=model].status' missing

t "a config.yml that does not parse is missing, and named"
mkdir -p "$agent"
printf 'loop: [1,\n' >"$agent/config.yml"
run env ANTHROPIC_API_KEY=$key kedge doctor
expect_exit 1
expect_empty stderr
expect_matches stdout '^missing  config\.yml .*config\.yml: yaml: line .*; none of it counts -> correct ~/\.kedge/agent/config\.yml$'
rm "$agent/config.yml"

t "keys and themes that are wrong, an index that is none, a lock of a process that is gone: warnings"
printf '{"app.nothing": "ctrl+p"}' >"$agent/keybindings.json"
printf 'theme:\n  dark: nobody\n' >"$agent/config.yml"
printf 'this is no database, but it is long enough for the header of one. %0100d' 0 >"$agent/sessions.db"
mkdir "$agent/config.yml.lock"
printf '{"pid":1,"timestamp":1,"host":"elsewhere"}' >"$agent/config.yml.lock/info"
run env ANTHROPIC_API_KEY=$key kedge doctor
expect_exit 0
expect_matches stdout '^warning  keybindings\.json .*app\.nothing'
expect_matches stdout '^warning  theme\.dark .*nobody.* -> .*kedge config reset theme\.dark$'
expect_matches stdout '^warning  sessions\.db .* -> rm .*sessions\.db'
expect_matches stdout '^warning  locks .*config\.yml\.lock is left over.* -> rm -r .*config\.yml\.lock'
expect_contains "$agent/sessions.db" 'this is no database' # it is left as it is
expect_contains "$agent/config.yml.lock/info" elsewhere
rm -r "$agent"

t "the place of the sessions is a file"
mkdir -p "$agent"
: >"$agent/sessions"
run env ANTHROPIC_API_KEY=$key kedge doctor
expect_exit 1
expect_matches stdout '^missing  sessions .*is no directory -> mv '
rm -r "$agent"

# a PATH of links: the programs of the test itself, and none that the doctor looks for
bare=$E2E_TMP/bare
mkdir "$bare"

t "no programs at all: each with what it is for and what installs it; only bash is needed"
run env ANTHROPIC_API_KEY=$key PATH="$bare" "$KEDGE" doctor
expect_exit 1
expect_matches stdout '^missing  bash  *not installed \(for the tool bash\) -> '
for name in rg ctags ast-grep python3 node; do
    expect_matches stdout "^warning  $name  *not installed \(for .*\) -> "
done
expect_matches stdout '^warning  git  .*not installed.* -> install git'
expect_matches stdout '^warning  gh executable  *gh not found'
expect_matches stdout '^1 missing, '

t "a program that hangs, another ctags, one that fails, one that prints what commands a terminal"
printf '#!/bin/sh\necho GNU bash\n' >"$bare/bash"
printf '#!/bin/sh\nexec /bin/sleep 600\n' >"$bare/rg"
printf '#!/bin/sh\necho Exuberant Ctags\n' >"$bare/ctags"
printf '#!/bin/sh\nexit 3\n' >"$bare/node"
printf '#!/bin/sh\nprintf "git \\033[2J%s\\n"\n' "$key" >"$bare/git"
chmod +x "$bare"/*
run env ANTHROPIC_API_KEY=$key PATH="$bare" "$KEDGE" doctor
expect_exit 0
expect_matches stdout '^ok  *bash  .*\(GNU bash\)$'
expect_matches stdout '^warning  rg  .*\(for faster grep\) -> '
expect_matches stdout '^warning  ctags  .*is not Universal Ctags'
expect_matches stdout '^warning  node  .*exit code 3'
expect_not_contains stdout "$(printf '\033')"
expect_not_contains stdout "$key"

t "gh: whether it keeps a login is read from its files, and no server is asked"
mkdir -p "$GH_CONFIG_DIR"
cat >"$bare/gh" <<X
#!/bin/sh
echo "\$*" >>"$E2E_TMP/asked"
echo 'gh version 2.92.0 (2026-01-01)'
X
chmod +x "$bare/gh"
run env ANTHROPIC_API_KEY=$key PATH="$bare" "$KEDGE" doctor
expect_matches stdout '^ok  *gh version '
expect_matches stdout '^warning  gh auth:github\.com  *not logged in -> gh auth login --hostname github\.com$'
printf 'github.com:\n    user: mara\n    oauth_token: %s\n' "$key" >"$GH_CONFIG_DIR/hosts.yml"
run env ANTHROPIC_API_KEY=$key PATH="$bare" "$KEDGE" doctor
expect_matches stdout '^ok  *gh auth:github\.com  *gh keeps a login of mara; not tried$'
expect_not_contains stdout "$key"
expect_not_contains "$E2E_TMP/asked" auth

t "a mistake in the flags"
run kedge doctor --fix-everything
expect_exit 2
expect_empty stdout

done_testing
