#!/bin/sh
# The ssh tool against a real sshd on loopback: keys, hosts that are known and that are not, one connection for all, and
# that nothing outlives kedge, however it ends.
. "$(dirname "$0")/lib.sh"
need_kedge
need ssh ssh-keygen setsid python3
PATH=$PATH:/usr/sbin:/sbin command -v sshd >/dev/null 2>&1 || skip_all "no sshd here"

server=$E2E_TMP/server
_serve sshd --dir "$server"
port=${_port:?}
real=$(command -v ssh)
# ssh takes the home directory from the system, not from HOME: it is given a configuration of this test
cat >"$E2E_TMP/bin/ssh" <<X
#!/bin/sh
echo "\$*" >>"$E2E_TMP/ssh-calls"
exec "$real" -F "$E2E_TMP/ssh_config" "\$@"
X
chmod +x "$E2E_TMP/bin/ssh"
cat >"$E2E_TMP/ssh_config" <<X
Host *
	UserKnownHostsFile $E2E_TMP/known_hosts
	GlobalKnownHostsFile /dev/null
	IdentitiesOnly yes
	IdentityAgent none
Host by-name
	HostName 127.0.0.1
	LocalForward 127.0.0.1:1 127.0.0.1:1
	RemoteCommand echo never
	RequestTTY force
X
know() { printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 "$server/$1.pub")" >"$E2E_TMP/known_hosts"; }
agent=$HOME/.kedge/agent
mkdir -p "$agent"
cat >"$agent/ssh.json" <<X
{ // hosts of this test
  "hosts": {
    "box": {"host": "127.0.0.1", "port": $port, "keyPath": "$server/key", "description": "loopback"},
    "named": {"host": "by-name", "port": $port, "key": "\${KEDGE_NO_SUCH:-$server}/key"},
    "keyless": {"host": "127.0.0.1", "port": $port},
    "closed": {"host": "127.0.0.1", "port": 1, "keyPath": "$server/key"},
  },
}
X
# call COMMAND [HOST] [MORE]: MORE is further JSON.
call() { run setsid -w kedge tool run --yes ssh "{\"host\":\"${2:-box}\",\"command\":\"$1\"${3:-}}"; }

t "a host that was never seen is not trusted, and the message says what to do"
: >"$E2E_TMP/known_hosts"
call 'echo hi'
expect_exit 77
expect_contains stderr "The key of the SSH host box (127.0.0.1:$port) is not known yet."
expect_contains stderr "connects once by hand and compares the fingerprint: ssh -p $port 127.0.0.1"
expect_empty "$E2E_TMP/known_hosts"
expect_no_strays

know host_key
if ! ssh -n -o BatchMode=yes -i "$server/key" -p "$port" 127.0.0.1 true 2>"$E2E_TMP/plain"; then
    grep -q 'account is locked' "$server/log" && skip_all "sshd does not let this user in: the account is locked"
    cat "$server/log" "$E2E_TMP/plain" | sed 's/^/# /'
fi

t "a command, its output, its status, its directory"
call 'echo hi; echo there >&2'
expect_exit 0
expect_out "hi
there"
call 'exit 3'
expect_exit 1
expect_contains stderr "Command exited with code 3"
call pwd box ",\"cwd\":\"$E2E_TMP\""
expect_exit 0
expect_out "$E2E_TMP"
call 'echo never' box ',"cwd":"/no/such"'
expect_exit 1
expect_empty stdout
expect_not_contains stderr never
call 'cat; tty'
expect_exit 1
expect_contains stderr "not a tty"
expect_no_strays

t "what ssh_config says of a host holds, but for what would run, forward or ask"
call 'echo hi' named
expect_exit 0
expect_out hi

t "nobody is asked for a password"
call 'echo hi' keyless
expect_exit 77
expect_contains stderr "The SSH host keyless (127.0.0.1:$port) does not let us in."
expect_contains stderr "Permission denied"

t "nobody listens"
call 'echo hi' closed
expect_exit 1
expect_contains stderr "Failed to start SSH master for 127.0.0.1:1: ssh: connect to host 127.0.0.1 port 1: Connection refused"

t "one connection for the commands of a conversation; the model is told of the hosts"
: >"$E2E_TMP/ssh-calls"
: >"$server/log"
model_script - <<'END'
{"tool_calls": [{"name": "ssh", "arguments": {"host": "box", "command": "echo one"}}]}
{"tool_calls": [{"name": "ssh", "arguments": {"host": "box", "command": "seq 1 20000"}}, {"name": "ssh", "arguments": {"host": "box", "command": "printf '\\033[31mred\\033[0m\\n'"}}]}
{"text": "Done."}
END
run kedge -p go
expect_exit 0
expect_out "Done."
[ "$(grep -c 'Accepted publickey' "$server/log")" = 1 ] || fail "not one connection:" "$(cat "$server/log")"
model_journal 0.body >told
expect_contains told '- box (127.0.0.1) | bash | loopback'
model_journal 2.body >told
expect_contains told 'Read artifact://0 for full output]'
expect_contains told '"red\n"'
expect_no_strays
[ -z "$(ls "$HOME/.kedge/ssh-control")" ] || fail "sockets are left: $(ls "$HOME/.kedge/ssh-control")"

t "without --yes nobody can be asked; the question names host and command"
run setsid -w kedge tool run ssh '{"host":"box","command":"echo hi"}'
expect_exit 77
expect_contains stderr "runs on box (127.0.0.1:$port): echo hi"

t "the time is over: what it printed is shown, and nothing of it is left here"
call "echo begun; sleep 600; : $E2E_TMP" box ',"timeout":2'
expect_exit 1
expect_contains stderr "[SSH: Timed out after 2s]"
expect_contains stderr "begun"
# what runs on the host is the host's: here it is this machine
for _line in $(strays | sed -n 's/^\([0-9]*\) .*sleep 600.*/\1/p'); do kill "$_line" 2>/dev/null; done
expect_no_strays

t "kedge is killed: the connection ends, and its socket goes"
setsid kedge tool run --yes ssh "{\"host\":\"box\",\"command\":\"touch $E2E_TMP/begun; exec sleep 601\"}" </dev/null >/dev/null 2>&1 &
_kedge=$!
wait_for 60 test -e "$E2E_TMP/begun" || fail "the command did not begin"
[ -n "$(ls "$HOME/.kedge/ssh-control")" ] || fail "there is no socket"
for _line in $(strays | sed -n 's/^\([0-9]*\) .*tool run --yes ssh.*/\1/p'); do kill -9 "$_line" 2>/dev/null; done
kill -9 $_kedge 2>/dev/null
_no_socket() { [ -z "$(ls "$HOME/.kedge/ssh-control")" ]; }
wait_for 60 _no_socket || fail "a socket is left"
# looked for when strays has ended: a grep beside it would find itself
_no_ssh() {
    strays >"$E2E_TMP/strays"
    ! grep -qF ControlPath "$E2E_TMP/strays"
}
wait_for 60 _no_ssh || fail "still running:" "$(strays)"

t "another key than the known one is refused, and the message says what to do"
touch "$server/rekey"
call 'echo hi'
expect_exit 77
expect_contains stderr "The key of the SSH host box (127.0.0.1:$port) is not the one that is known"
expect_contains stderr "ssh-keygen -R"
rm "$server/rekey"

t "hosts of the repository wait for trust"
mkdir .kedge
printf '{"hosts":{"theirs":{"host":"127.0.0.1","port":%s,"keyPath":"%s/key"}}}' "$port" "$server" >.kedge/ssh.json
call 'echo hi' theirs
expect_exit 1
expect_contains stderr "Unknown SSH host: theirs. Available hosts: box, named, keyless, closed"
expect_contains stderr "Hosts of the repository need trust and were left out: $PWD/.kedge/ssh.json"
rm -r .kedge

t "kedge ssh: hosts are added, listed and removed; without any the tool is not offered"
rm "$agent/ssh.json"
model_script hello.jsonl
run kedge -p hi
expect_exit 0
model_journal 0.body | grep -q '"name": *"ssh"' && fail "ssh is offered"
run kedge ssh list
expect_exit 0
expect_empty stdout
run kedge ssh add made 127.0.0.1 --port "$port" --key "$server/key" --description "by command"
expect_exit 0
run kedge ssh add made 127.0.0.1
expect_exit 1
expect_contains stderr "there is a host \"made\" already"
run kedge ssh add bad -- '-oProxyCommand=touch x'
expect_exit 2
expect_contains stderr 'host "-oProxyCommand=touch x" is no host name or address'
run kedge ssh add bad h --port 70000
expect_exit 2
run kedge ssh list
expect_exit 0
expect_out "made  127.0.0.1:$port  $server/key  by command"
call 'echo hi' made
expect_exit 0
expect_out hi
run kedge ssh remove made
expect_exit 0
run kedge ssh remove made
expect_exit 1
expect_contains stderr 'there is no host "made"'
run kedge ssh list
expect_empty stdout

done_testing
