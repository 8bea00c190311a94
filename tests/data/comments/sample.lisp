; yes
#| yes: outer #| inner |# still outer |#
(print "no ; no \" ; no
no") ; yes
(list #\; #\" 'no) ; yes
