// yes
{ yes: a
block }
(* yes *)
a := 'no // no '' { no } (* no *)'; // yes
{$R+ yes}
