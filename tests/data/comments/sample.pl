# yes
my $a = "no # no"; # yes
my $b = q{no {no} # no}; # yes
my $c = $#list; # yes
$x =~ s/no#no/no # no/g; # yes
$x =~ s{no # no} {no # no}x; # yes
$x =~ tr/#/no/; # yes
my @d = split /,#/, $e; # yes
my $f = $g{h} / 2; # yes
my $i = $h{y} / $h{s}; # yes
print <<"X", <<'Y'; # yes
no # no
X
no # no
Y
my $j = qw#no no#; # yes
my $q = m!no # no!; # yes

=head1 yes: documentation

text

=cut

# yes
__END__
# no
