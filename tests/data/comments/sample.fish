# yes
echo "no # no" 'no # no' no#no # yes
echo "no (no) $(f "no # no") # no" # yes
