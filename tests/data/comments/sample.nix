# yes
/* yes */
a = "no # no ${f "no # no"}"; # yes
b = ''no # no ''' # no ''${ # no ${g "no"} # no''; # yes
