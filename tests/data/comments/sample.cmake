# yes
#[[ yes: a
block ]]
#[=[ yes: ]] still ]=]
set(a "no # no \" # no") # yes
set(b [[no # no]] [==[no ]] # no]==]) # yes
set(c no\#no) # yes
