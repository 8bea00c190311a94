-- yes
{- yes -}
a = "no -- no {- no -}" -- yes
