#!/bin/bash
# yes
echo "no # no" 'no # no' no#no $# ${#x} ${x#no} ${x##*/} # yes
echo $'no \' # no' \# no; # yes
cat <<EOF # yes
no # no
EOF
cat <<-'X' <<"Y Z" # yes
	no # no
	X
# no
Y Z
cat <<<"no # no" # yes
echo "$(echo '#no' # yes
)" # yes
echo $((16#ff)) $(( 1 << 2 )) # yes
if [[ $a =~ # ]]; then :; fi # yes
x=$(case $y in a) echo no;; esac) # yes
echo `echo no # yes
` # yes
(( i = 16#ff )); echo "${x:-it's # no}" # yes
echo a; # yes
