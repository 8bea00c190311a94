#!/bin/sh
# What a release publishes (tools/release), and the action that installs it (.github/actions/install-kedge).
. "$(dirname "$0")/lib.sh"
need_kedge
need git tar gzip sha256sum curl bash
case $(uname -s)-$(uname -m) in
Linux-x86_64) plat=linux-amd64 ;;
Linux-aarch64) plat=linux-arm64 ;;
*) skip_all "no releases are made here" ;;
esac
unset KEDGE_CONFIG_DIR
version=$("$KEDGE" --version)
strip -o "$HOME/kedge" "$KEDGE" && KEDGE=$HOME/kedge # as a release has it, and small

t "an archive, two extensions of gh, and their sums"
run -t 120 "$E2E_ROOT/tools/release" --binary "$KEDGE" "$HOME/out"
expect_exit 0
for file in kedge-$plat.tar.gz gh-kedge-$plat gh-wm-$plat; do
    expect_matches "$HOME/out/SHA256SUMS" "^[0-9a-f]{64}  $file\$"
done
(cd "$HOME/out" && sha256sum --check --quiet SHA256SUMS) || fail "the sums are others"
tar -tzf "$HOME/out/kedge-$plat.tar.gz" >"$HOME/list"
[ "$(grep -v / "$HOME/list" | tr '\n' ' ')" = "LICENSE README.md kedge " ] || fail "$(cat "$HOME/list")"
expect_contains "$HOME/list" share/bash-completion/completions/kedge
expect_contains "$HOME/list" share/man/man1/kedge.1.gz

t "a package for Debian, of the same version"
if command -v dpkg-deb >/dev/null; then
    deb=$(echo "$HOME"/out/kedge_*.deb)
    expect_contains "$HOME/out/SHA256SUMS" "  ${deb##*/}"
    [ "kedge/$(dpkg-deb -f "$deb" Version)" = "$version" ] || fail "version $(dpkg-deb -f "$deb" Version)"
    dpkg-deb --fsys-tarfile "$deb" | tar -t >"$HOME/list"
    for file in usr/bin/kedge usr/share/bash-completion/completions/kedge usr/share/man/man1/kedge.1.gz usr/share/doc/kedge/copyright; do
        expect_contains "$HOME/list" "./$file"
    done
fi

t "the same binary gives the same archive, at any time"
cp "$HOME/out/SHA256SUMS" "$HOME/sums"
run -t 120 "$E2E_ROOT/tools/release" --binary "$KEDGE" "$HOME/out"
expect_exit 0
cmp -s "$HOME/out/SHA256SUMS" "$HOME/sums" || fail "another archive"

t "a build knows the commit that others can fetch, and no other"
mkdir -p "$HOME/source/tools" && cp "$E2E_ROOT/tools/build-commit" "$HOME/source/tools" && cd "$HOME/source" || exit 1
git init -q -b main . && git add -A && git commit -qm one && git remote add origin https://example.org/kedge-dev/kedge.git
commit=$(git rev-parse HEAD)
commit_is() { [ "$(tools/build-commit)" = "$1" ] || fail "$2: $(tools/build-commit)"; }
commit_is "" "on no branch there"
git update-ref refs/remotes/origin/main HEAD
commit_is "$commit" "pushed"
git tag v9.1.0 && git tag other
commit_is "$commit v9.1.0" "a release"
echo >>tools/build-commit
commit_is "" "changed files"
git checkout -q . && git remote set-url origin https://example.org/me/kedge.git
commit_is "" "another repository"
[ "$(tools/build-commit me/kedge)" = "$commit v9.1.0" ] || fail "that of a copy: $(tools/build-commit me/kedge)"
mkdir sub && mv tools sub/ && [ -z "$(sub/tools/build-commit)" ] || fail "in a directory of another repository"
cd "$HOME" || exit 1

t "the programs run under their names"
mkdir "$HOME/unpacked" && tar -xzf "$HOME/out/kedge-$plat.tar.gz" -C "$HOME/unpacked"
run "$HOME/unpacked/kedge" --version
expect_out "$version"
mv "$HOME/out/gh-wm-$plat" "$HOME/unpacked/gh-wm"
run "$HOME/unpacked/gh-wm" version
expect_exit 0
expect_contains stdout "$version"
run "$HOME/unpacked/gh-wm" nothing
expect_contains stderr 'unknown command "nothing" for "kedge wm"'
cp "$HOME/out/gh-kedge-$plat" "$HOME/unpacked/gh-kedge"
run "$HOME/unpacked/gh-kedge" --version
expect_out "$version"

# install MODE VERSION [NAME=VALUE…]: the script of the action, as a runner starts it, without a kedge on PATH.
sed -n '/^      run: |$/,$p' "$E2E_ROOT/.github/actions/install-kedge/action.yml" | sed '1d; s/^        //' >"$HOME/install"
install() {
    _mode=$1 _version=$2
    shift 2
    rm -rf "$HOME/runner" && mkdir "$HOME/runner" && : >"$HOME/path"
    run env PATH=/usr/bin:/bin RUNNER_TEMP="$HOME/runner" GITHUB_PATH="$HOME/path" GITHUB_SERVER_URL="file://$HOME/server" \
        REPOSITORY=o/r EXTENSION=o/gh-kedge MODE="$_mode" VERSION="$_version" "$@" bash "$HOME/install"
}

t "the action installs the latest release, and one by its tag"
mkdir -p "$HOME/server/o/r/releases/latest/download" "$HOME/server/o/r/releases/download/v9"
cp "$HOME/out/kedge-$plat.tar.gz" "$HOME/out/SHA256SUMS" "$HOME/server/o/r/releases/latest/download"
install release ""
expect_exit 0
expect_contains stdout "$version"
expect_file "$HOME/path" "$HOME/runner/kedge-bin"
[ -x "$HOME/runner/kedge-bin/kedge" ] || fail "no program"
cp "$HOME/server/o/r/releases/latest/download/"* "$HOME/server/o/r/releases/download/v9"
install release v9
expect_exit 0

t "the action refuses an archive with another sum, and one without"
echo more >>"$HOME/server/o/r/releases/download/v9/kedge-$plat.tar.gz"
install release v9
[ "$(cat "$E2E_TMP/.state/status")" != 0 ] || fail "installed"
[ ! -e "$HOME/runner/kedge-bin/kedge" ] || fail "unpacked"
: >"$HOME/server/o/r/releases/download/v9/SHA256SUMS"
install release v9
[ "$(cat "$E2E_TMP/.state/status")" != 0 ] || fail "installed"
[ ! -e "$HOME/runner/kedge-bin/kedge" ] || fail "unpacked"

t "the action takes a kedge that is there, where that is wanted"
install none ""
expect_exit 1
expect_contains stdout "::error::kedge is not on PATH and install mode is none"
install none "" PATH="$HOME/unpacked:/usr/bin:/bin"
expect_exit 0
expect_contains stdout "$version"
install release "v${version##*/}" PATH="$HOME/unpacked:/usr/bin:/bin"
expect_exit 0
expect_empty "$HOME/path"
install other ""
expect_exit 1
expect_contains stdout "::error::unknown install mode"

t "the action makes the extension of gh answer as kedge"
mkdir "$HOME/gh-bin"
printf '#!/bin/sh\necho "gh $*"\n' >"$HOME/gh-bin/gh" && chmod +x "$HOME/gh-bin/gh"
install gh-extension v1 PATH="$HOME/gh-bin:/usr/bin:/bin"
expect_exit 0
expect_contains stdout "gh extension install o/gh-kedge --pin v1 --force"
run env PATH="$HOME/gh-bin:/usr/bin:/bin" "$HOME/runner/kedge-bin/kedge" wm version
expect_out "gh kedge wm version"
done_testing
