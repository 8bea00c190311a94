# yes
=begin
yes: a block
=end
a = "no # no #{f("no # no")} # no" # yes
b = 'no # no' # yes
c = %q(no (no) # no) # yes
d = %w[no # no] # yes
e = <<~X + <<-'Y' # yes
  no # no
  X
  no # no #{no}
  Y
f = x =~ /no # no/ # yes
g = 4 / 2 # yes
h = ?# # yes
i = %Q{no #{j("no }")} # no} # yes
puts $" # yes
k = `no # no` # yes
class A << B # yes
end
__END__
# no
