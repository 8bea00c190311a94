; yes
/* yes */
msg db "no ; no /* no */", 10 ; yes
chr db 'no ; no' ; yes
mov r0, #1 ; yes
# yes
mov r0, #2 @ yes
mov $1, %eax # yes
