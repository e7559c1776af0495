# The style of all charts: no background, and a grey that is legible on white and on black.
# Given on the command line: `table`, the figures; `picture`, the file to write; `title`; `caption`, the machine.
set encoding utf8
ink = "#747d87"
set output picture
set datafile separator tab
set border 0
set tics scale 0 textcolor rgb ink font ",11"
set key textcolor rgb ink
set grid linecolor rgb ink linetype 1 linewidth 0.4
set label title at screen 0.02, screen 0.95 font ",15" textcolor rgb ink noenhanced
set label caption at screen 0.02, screen 0.03 font ",11" textcolor rgb ink noenhanced
array colours[4] = ["#3f8fd9", "#d9822b", "#1fa187", "#b07cc6"]
array marks[4] = [7, 5, 9, 13]
powers = '("1" 1, "10" 10, "100" 100, "1 000" 1e3, "10 000" 1e4, "100 000" 1e5, "1 000 000" 1e6)'
