; yes
#;(no) ; yes
(display "no ; no") #| yes |#
