-- yes
a <= "no -- no"; b <= '1'; c <= d'event; -- yes
