<p># no // no <!-- no --></p>
<?php
// yes
# yes
/* yes */
#[Attribute("no")]
$a = "no // no # no /* no */ {$b["no // no"]} \" // no";
$c = 'no // no
# no'; // yes
$d = <<<X
no // no
  no # no
  X . 'no'; // yes
$e = <<<'Y'
no /* no */
Y; // yes
?> # no <?= 1 // yes ?> // no
<?php # yes ?> # no
