-- yes
A := "no -- no "" -- no"; -- yes
B := '"'; C := '\'; D := A'Image ('"'); -- yes
