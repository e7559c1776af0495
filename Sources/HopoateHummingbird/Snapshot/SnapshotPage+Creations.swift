#if Hummingbird
    import Hopoate
    import HopoateServer

    extension SnapshotPage {
        /// The creations of one burst: creations with no pause of a second between them.
        struct Burst {
            var creations: [(id: Int, creation: DependencySnapshot.Creation)]
            var end: Int

            var start: Int { creations[0].creation.start }
        }

        /// The greatest number of bars, and that of time axes. Later creations are in the table only.
        static var mostBars: Int { 200 }
        static var mostBursts: Int { 6 }

        /// The timeline of the first creations, and their critical path.
        var creationsSection: String {
            let head = "<section aria-labelledby=\"creations\"><h2 id=\"creations\" tabindex=\"-1\">Creations</h2>"
            guard snapshot.recorded != nil else {
                return head + """
                    <p>Creations are not recorded. Call <code>recordCreations()</code> on the container before the first \
                    registration.</p></section>
                    """
            }
            let bursts = bursts
            if bursts.isEmpty {
                return head + "<p>No service has been created since the recording began.</p></section>"
            }
            let path = snapshot.criticalPath
            let critical = Set(path.map(\.id))
            var drawn = 0
            var figures = ""
            for burst in bursts.prefix(Self.mostBursts) where drawn < Self.mostBars {
                figures += figure(burst, critical, limit: Self.mostBars - drawn)
                drawn += burst.creations.count
            }
            return """
                \(head)
                <p>The first creation of each service since the recording began. A bar contains the creation of its dependencies. \
                Pauses of more than a second are left out. <span class="key">Critical path</span></p>
                \(figures)\(list(path))</section>
                """
        }

        /// The first creations in groups, each by its start.
        var bursts: [Burst] {
            let creations = snapshot.registrations.compactMap { registration in
                registration.creations?.first.map { (id: registration.id, creation: $0) }
            }.sorted { ($0.creation.start, -$0.creation.duration) < ($1.creation.start, -$1.creation.duration) }
            var bursts: [Burst] = []
            for (id, creation) in creations {
                let end = creation.start + creation.duration
                if let last = bursts.last, creation.start - last.end < 1_000_000_000 {
                    bursts[bursts.count - 1].creations.append((id, creation))
                    bursts[bursts.count - 1].end = max(last.end, end)
                } else {
                    bursts.append(Burst(creations: [(id, creation)], end: end))
                }
            }
            return bursts
        }

        private func list(_ path: [DependencySnapshot.Registration]) -> String {
            let items = zip(path, path.dropFirst().map(Optional.some) + [nil]).map { step, next in
                let time = step.creations?.first?.duration ?? 0
                let rest = time - (next?.creations?.first?.duration ?? 0)
                let own = next == nil ? "" : ", \(durationText(rest)) of it outside the next step"
                return "<li>\(link(to: step.id)): \(durationText(time))\(own)</li>"
            }
            return """
                <h3>Critical path</h3><p>The longest creation that nothing else needed, then in each step the longest one inside it.</p>
                <ol class="path">\(items.joined())</ol>
                """
        }

        /// Bars on a time axis.
        private func figure(_ burst: Burst, _ critical: Set<Int>, limit: Int) -> String {
            let (left, width, row, top) = (250, 620, 24, 30)
            let span = max(1, burst.end - burst.start)
            // Lengths and places are in tenths.
            func scaled(_ time: Int) -> Int { Int(Double(time) / Double(span) * Double(width * 10)) }
            func x(_ time: Int) -> Int { left * 10 + scaled(time - burst.start) }
            let shown = burst.creations.prefix(limit)
            let height = top + shown.count * row + 8
            var lines = ""
            for time in ticks(span) {
                let place = tenths(x(burst.start + time))
                lines += "<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(top - 6)\" y2=\"\(height - 6)\"/>"
                lines +=
                    "<text class=\"tick\" x=\"\(place)\" y=\"\(top - 12)\">\(time == 0 ? "0" : durationText(time))</text>"
            }
            for (index, (id, creation)) in shown.enumerated() {
                let y = top + index * row
                let place = x(creation.start)
                let length = max(20, scaled(creation.duration))
                let name = names[id]
                let duration = durationText(creation.duration)
                lines += """
                    <a href="#r\(id)"><g class="bar\(critical.contains(id) ? " critical" : "")"><title>\(escaped(name)): \(duration)</title>\
                    <text class="label" x="\(left - 10)" y="\(y + 14)">\(escaped(name, upTo: 32))</text>\
                    <rect x="\(tenths(place))" y="\(y + 3)" width="\(tenths(length))" height="\(row - 8)" rx="3"/>\
                    <text class="time" x="\(tenths(place + length + 60))" y="\(y + 14)">\(duration)</text></g></a>
                    """
            }
            let more = burst.creations.count > limit ? " \(burst.creations.count - limit) more are in the table." : ""
            return """
                <figure><figcaption>\(durationText(burst.start)) after the begin of the recording, \(durationText(span)) long.\(more)\
                </figcaption><div class="scroll" role="region" aria-label="Timeline" tabindex="0">\
                <svg class="timeline" viewBox="0 0 960 \(height)" width="960" height="\(height)" role="group" \
                aria-label="Bars of creations on a time axis">\(lines)</svg></div></figure>
                """
        }

        /// Times for the axis: at most seven, in steps of 1, 2 or 5 times a power of ten.
        private func ticks(_ span: Int) -> [Int] {
            var power = 1
            while true {
                for step in [power, 2 * power, 5 * power] where span / step <= 6 {
                    return Array(stride(from: 0, through: span, by: step))
                }
                power *= 10
            }
        }
    }

    /// A number of tenths as a decimal fraction.
    func tenths(_ number: Int) -> String { "\(number / 10).\(number % 10)" }
#endif
