# yes
// yes
/* yes */
a = "no # no ${f("no // no")} /* no */" # yes
b = <<EOF
no # no
EOF
c = <<-X
  no // no
  X
# yes
