-- yes
{- yes: outer {- inner -} still outer -}
a = "no -- no {- no -}" -- yes
b x = x --> y
c = '"' : foldl' f '\'' -- yes
d = 1 |-- no
--- yes
{-# LANGUAGE yes #-}
