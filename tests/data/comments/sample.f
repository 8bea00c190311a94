C     yes
*     yes
c     yes
!     yes
      CALL NO('no ! no') ! yes
