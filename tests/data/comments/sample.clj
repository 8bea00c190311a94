; yes
[\; \" "no ; no" #"no;no"] ; yes
