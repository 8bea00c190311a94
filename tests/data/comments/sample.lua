-- yes
--[[ yes: a
block ]]
--[==[ yes: ]] still ]==]
a = "no -- no" -- yes
b = [[no -- no]] -- yes
c = [=[no ]] -- no]=] -- yes
d = x[y[1]] -- yes
--[ yes: a line
