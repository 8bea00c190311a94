# yes
s/no #/no # no/g # yes
s|no # no|no|; y/#/no/ # yes
/no # no/d # yes
\,no # no,p
a\
no # no
$!N # yes
