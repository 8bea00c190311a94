@echo off
REM yes
:: yes
echo no & rem yes
echo "no & rem no"
echo remark no REM
@rem yes
