; yes
(list ?; ?\; ?" "no ; no") ; yes
(string? "no") ; yes
