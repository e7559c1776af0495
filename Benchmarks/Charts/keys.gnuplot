# A line per operation: its time over the number of types.
# Blocks of the table: a name, then lines with a number of types and nanoseconds.
set terminal svg size 760, 400 font "sans-serif,13" noenhanced
load folder . "/style.gnuplot"
load folder . "/lines.gnuplot"
set xlabel "registered types (logarithmic)" offset 0, 0.4 font ",11" textcolor rgb ink
set ylabel "nanoseconds per operation (logarithmic)" offset 1, 0 font ",11" textcolor rgb ink
set logscale xy
eval "set xtics " . powers
eval "set ytics " . powers
# A little beyond the outer powers of ten: rounding must not drop their labels.
set xrange [0.999 * y_min_x:1.001 * y_max_x]
set yrange [0.999 * 10 ** floor(log10(y_min_y)):1.001 * 10 ** ceil(log10(y_max_y))]
plot for [n = 1:lines] table index n - 1 using 1:2 with linespoints linewidth 2.25 linecolor rgb colours[n] \
    pointtype marks[n] pointsize 0.8 title columnheader(1)
