# A line per operation: the throughput of all threads together over their number.
# Blocks of the table: a name, then lines with a number of threads and million operations per second.
set terminal svg size 760, 400 font "sans-serif,13" noenhanced
load folder . "/style.gnuplot"
load folder . "/lines.gnuplot"
set xlabel "threads (logarithmic)" offset 0, 0.4 font ",11" textcolor rgb ink
set ylabel "million operations per second, all threads together" font ",11" textcolor rgb ink
set logscale x 2
set xtics 2
set yrange [0:*]
plot for [n = 1:lines] table index n - 1 using 1:2 with linespoints linewidth 2.25 linecolor rgb colours[n] \
    pointtype marks[n] pointsize 0.8 title columnheader(1)
