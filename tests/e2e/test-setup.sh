#!/bin/sh
# tools/setup without installing anything: silent when nothing is missing; where there is no apt it says what is; and
# what it would have apt install. The programs it sees are links in a directory; its apt-get writes down what is asked.
. "$(dirname "$0")/lib.sh"

system=$E2E_TMP/system
mkdir "$system"
for dir in $(echo "${PATH#*:}" | tr : ' '); do
    ln -s "$dir"/* "$system" 2>/dev/null
done
rm -f "$system/apt-get" "$system/apt-cache" "$system/dpkg" "$system/sudo"

setup() { run -t 20 env PATH="$system" "$E2E_ROOT/tools/setup" "$@"; }

# program NAME: a stand-in, its text on stdin.
program() {
    rm -f "$system/$1"
    { echo '#!/bin/sh' && cat; } >"$system/$1"
    chmod +x "$system/$1"
}

program gh <<'X'
echo "gh version 2.46.0 (2025-01-13 Debian 2.46.0-3)"
X
program pkg-config <<'X'
! grep -qsx "$2" "$(dirname "$0")/absent"
X
for name in cc ninja meson git rg python3 make curl chromium chromedriver zsh fish mandoc initdb ssh sshd ctags-universal; do
    [ -e "$system/$name" ] || program $name </dev/null
done

for what in '' build run test; do
    t "nothing is missing: setup $what says and does nothing"
    # shellcheck disable=SC2086
    setup $what
    expect_exit 0
    expect_empty stdout
    expect_empty stderr
done

t "without apt it prints what is missing, and stops"
rm "$system/rg"
echo jansson >"$system/absent"
setup test
expect_exit 1
expect_empty stdout
expect_file stderr "kedge needs these packages (Debian's names), and this system has no apt to install them:
  ripgrep libjansson-dev"

t "what running needs is not asked for by building"
setup build
expect_exit 1
expect_not_contains stderr ripgrep
expect_contains stderr libjansson-dev
rm "$system/absent"
setup build
expect_exit 0

t "a gh that is too old counts as missing"
program gh <<'X'
echo "gh version 2.23.0 (2023-02-27 Debian 2.23.0+dfsg1-1)"
X
setup run
expect_exit 1
expect_contains stderr "  ripgrep gh (>= 2.46)"

t "with apt, exactly what is missing is installed, and said; after that it is silent"
program apt-get <<'X'
echo "$*" >>"$(dirname "$0")/asked"
case "$*" in *ripgrep*) ln -s /bin/true "$(dirname "$0")/rg" ;; esac
case "$*" in *" gh") printf '#!/bin/sh\necho gh version 2.46.0\n' >"$(dirname "$0")/gh" ;; esac
X
program apt-cache <<'X'
printf 'gh:\n  Installed: (none)\n  Candidate: 2.46.0-3\n'
X
program dpkg <<'X'
[ "$*" = "--compare-versions 2.46.0-3 ge 2.46" ]
X
program sudo <<'X'
exec "$@"
X
setup run
expect_exit 0
expect_empty stdout
expect_file stderr "tools/setup: installing ripgrep
tools/setup: installing gh 2.46.0-3"
expect_file "$system/asked" "update -qq
install -qq -y --no-install-recommends ripgrep ca-certificates
install -qq -y --no-install-recommends gh"
setup run
expect_exit 0
expect_empty stderr
expect_lines "$system/asked" 3

t "without root and sudo it says so"
rm "$system/rg" "$system/sudo"
program id <<'X'
echo 1000
X
setup run
expect_exit 1
expect_file stderr "tools/setup: needs root or sudo to install: ripgrep"
expect_lines "$system/asked" 3

t "a word that it does not know"
setup everything
expect_exit 2
expect_file stderr "usage: tools/setup [build|run|test|check]"

done_testing
