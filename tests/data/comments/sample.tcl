# yes
puts "no # no" ;# yes
set a no#no
proc f {} { # yes
  return {#no}
}
