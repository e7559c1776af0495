# A bar per way to wire a request. No grid: every bar has its figure.
# Columns of the table: place from the top, nanoseconds, the figure, the label of the bar.
set terminal svg size 760, 220 font "sans-serif,13" noenhanced
load folder . "/style.gnuplot"
stats table using 1 name "place" nooutput
stats table using 2 name "time" nooutput
set lmargin at screen 0.3
set rmargin at screen 0.93
set tmargin at screen 0.86
set bmargin at screen 0.16
unset xtics
unset grid
set xrange [0:time_max * 1.08]
set yrange [place_max + 0.6:-0.6]
set ytics font ",13"
set style fill solid noborder
plot table using (0):1:(0):2:($1 - 0.3):($1 + 0.3) with boxxyerror linecolor rgb colours[1] notitle, \
    table using 2:1:3 with labels left offset 0.6, 0 font ",11" textcolor rgb ink notitle, \
    table using (0):1:ytic(4) with points pointtype -1 notitle
