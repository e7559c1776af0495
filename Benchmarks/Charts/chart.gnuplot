# A bar per operation and number of threads. No grid: every bar has its figure.
# Columns of the table: place from the top, number of threads, nanoseconds, the label of the bar, operation.
set terminal svg size 760, 368 font "sans-serif,13" noenhanced
load folder . "/style.gnuplot"
stats table using 1 name "place" nooutput
stats table using 3 name "time" nooutput
set lmargin at screen 0.28
set rmargin at screen 0.93
set tmargin at screen 0.86
set bmargin at screen 0.2
set key at screen 0.28, screen 0.9 left horizontal Left reverse samplen 1 width 4 font ",11"
set logscale x
set xrange [1:10 ** ceil(log10(time_max))]
eval "set xtics " . powers
set xlabel "nanoseconds per operation on each thread (logarithmic)" offset 0, 0.4 font ",11" textcolor rgb ink
set yrange [place_max + 0.6:-0.6]
set ytics font ",13"
unset grid
set style fill solid noborder
bar = 0.36
top(threads) = (threads - 1.5) * bar - bar / 2
y(place, threads) = place + top(threads)
plot for [n = 1:2] table using ($2 == n ? 1 : NaN):1:(1):3:(y($1, n) + 0.02):(y($1, n) + bar - 0.02) \
        with boxxyerror linecolor rgb colours[n] title (n == 1 ? "1 thread" : "2 threads"), \
    table using 3:(y($1, $2) + bar / 2):4 with labels left offset 0.6, 0 font ",11" textcolor rgb ink notitle, \
    table using (1):1:ytic(5) with points pointtype -1 notitle
