% yes
A = "no % no", % yes
B = 'no % no', % yes
C = $%, D = $", E = $\', % yes
