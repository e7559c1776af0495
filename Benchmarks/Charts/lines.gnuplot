# The layout of the line charts: names at the right, ordered by the last value.
stats table using 1:2 name "y" nooutput
lines = y_blocks
set lmargin at screen 0.12
set rmargin at screen 0.66
set tmargin at screen 0.88
set bmargin at screen 0.2
set key at screen 0.67, screen 0.6 left Left reverse samplen 1.5 spacing 1.6 font ",13"
set grid noxtics
