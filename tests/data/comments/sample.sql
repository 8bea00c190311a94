-- yes
/* yes: outer /* inner */ still outer */
SELECT 'no -- no '' /* no */', "no -- no" -- yes
, $$no -- no$$, $a$no $$ -- no$a$, E'no \' -- no', $1 -- yes
, '\' -- yes
