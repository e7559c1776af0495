/// The alignment of the text in a column.
enum Alignment { case left, right }

/// Returns a title and aligned rows below it.
func section(_ title: String, _ alignments: [Alignment], _ rows: [[String]]) -> String {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
        let cells = row.indices.map { column in
            let padding = String(repeating: " ", count: widths[column] - row[column].count)
            return alignments[column] == .left ? row[column] + padding : padding + row[column]
        }
        let line = "  " + cells.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
    return ([title] + lines).joined(separator: "\n") + "\n"
}

/// Groups the digits of a number by commas.
func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index).isMultiple(of: 3) { text.append(",") }
        text.append(digit)
    }
    return text
}

/// Formats an amount in minor units with a decimal point.
func decimal(_ minorUnits: Int128, digits: Int) -> String {
    var scale: Int128 = 1
    for _ in 0..<digits { scale *= 10 }
    let (whole, fraction) = minorUnits.quotientAndRemainder(dividingBy: scale)
    if digits == 0 { return grouped(whole) }
    return grouped(whole) + "." + String(String(scale + fraction).dropFirst())
}
