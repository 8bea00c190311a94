# yes
{ print "no # no" } # yes
/no # no/ { x = 4 / 2 } # yes
