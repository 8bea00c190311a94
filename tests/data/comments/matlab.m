function f(x) % yes
% yes
%{
yes: a
%{
nested
%}
block
%}
a = 'no % no '' % no'; % yes
b = x'; c = [x' 'no % no']; d = x.'; % yes
e = "no % no"; % yes
%{ yes: a line
end
