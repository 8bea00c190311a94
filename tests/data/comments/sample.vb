' yes
REM yes
a = "no ' no "" ' no" ' yes
b = 1 : rem yes
remark = no
