# yes
a = "no # no #{f("no # no")} # no" # yes
b = '#' # yes
c = %w(no # no) # yes
d = <<-X # yes
no # no
X
