! yes
a = "no ! no "" ! no" ! yes
b = 'no '' ! no' ! yes
