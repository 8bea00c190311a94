# yes
-- yes
CREATE TABLE `no # no` (a INT AUTO_INCREMENT) ENGINE=InnoDB; # yes
SELECT 'no \' # no', "no # no", 1 /* yes */;
