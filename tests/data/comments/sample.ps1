# yes
<# yes: a
block #>
$a = "no # no `" # no $(f "no # no")" # yes
$b = 'no '' # no' # yes
$c = @"
no " # no
"@ # yes
$d = @'
no ' # no
'@ # yes
Write-Host no#no # yes
