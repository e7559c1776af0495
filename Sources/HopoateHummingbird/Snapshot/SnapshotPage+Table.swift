#if Hummingbird
    import Hopoate
    import HopoateServer

    extension SnapshotPage {
        /// The table of all registrations.
        var table: String {
            let isRecorded = snapshot.recorded != nil
            var columns = ["#", "Service", "Lifetime", "State", "Depends on", "Needed by"]
            if isRecorded { columns += ["Created", "Longest", "First needed by"] }
            let heads = columns.map { "<th scope=\"col\"><span>\($0)</span></th>" }.joined()
            let rows = snapshot.registrations.filter { !$0.isHealthCheck }.map { row($0, isRecorded) }.joined(
                separator: "\n")
            return """
                <section aria-labelledby="registrations"><h2 id="registrations" tabindex="-1">Registrations</h2>
                <div class="tools" hidden><label for="search">Search</label> \
                <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="type, name, lifetime, file …"> \
                <span id="found" role="status"></span></div>
                <div class="scroll" role="region" aria-labelledby="registrations" tabindex="0">
                <table id="table"><caption>All registrations, in the order of registration. A child comes before its parent.\
                \(hasRequest ? " Those of an HTTP request come first." : "")</caption>
                <thead><tr>\(heads)</tr></thead>
                <tbody>
                \(rows)
                </tbody></table></div></section>
                """
        }

        private func row(_ registration: DependencySnapshot.Registration, _ isRecorded: Bool) -> String {
            var cells = [
                "<td class=\"number\">\(registration.id)</td>",
                """
                <th scope="row"><bdi class="name">\(escaped(names[registration.id]))</bdi>\
                <bdi class="type">\(escaped(registration.service))</bdi>\
                <bdi class="place">\(escaped(place(registration)))</bdi>\(level(registration))</th>
                """,
                "<td><span class=\"life \(registration.sharing.filter(\.isLetter))\">\(escaped(registration.lifetime))</span></td>",
                "<td>\(state(registration))</td>",
                "<td>\(dependencies(registration))</td>",
                "<td data-value=\"\(dependents[registration.id].count)\">\(neededBy(dependents[registration.id]))</td>",
            ]
            if isRecorded {
                if let creations = registration.creations {
                    let failures =
                        creations.failures > 0 ? " <span class=\"bad\">\(creations.failures) failed</span>" : ""
                    cells.append(
                        "<td class=\"number\" data-value=\"\(creations.count)\">\(creations.count)\(failures)</td>")
                    let longest = creations.longest.map { durationText($0.duration) } ?? ""
                    cells.append(
                        "<td class=\"number\" data-value=\"\(creations.longest?.duration ?? -1)\">\(longest)</td>")
                    cells.append("<td>\(neededBy(creations.first))</td>")
                } else {
                    cells.append("<td class=\"quiet\" data-value=\"-1\" colspan=\"3\">not recorded</td>")
                }
            }
            let style = registration.isShadowed ? " class=\"shadowed\"" : ""
            return "<tr id=\"r\(registration.id)\"\(style)>\(cells.joined())</tr>"
        }

        private func state(_ registration: DependencySnapshot.Registration) -> String {
            if registration.isShadowed { return "shadowed" + (registration.exists ? ", exists" : "") }
            if registration.exists { return "<span class=\"exists\">exists</span>" }
            return registration.sharing == "nobody" ? "<span class=\"quiet\">made per call</span>" : "not created"
        }

        private func level(_ registration: DependencySnapshot.Registration) -> String {
            switch registration.level - (hasRequest ? 1 : 0) {
            case -1: "<small class=\"request\">brought by each request</small>"
            case 0: ""
            case 1: "<small>in the parent</small>"
            case let level: "<small>\(level) containers up</small>"
            }
        }

        private func place(_ registration: DependencySnapshot.Registration) -> String {
            registration.place ?? (registration.isEnvironmentValue ? "environment value" : "unknown place")
        }

        /// The registrations that resolve a service: their number, and the first eight of them.
        private func neededBy(_ ids: [Int]) -> String {
            if ids.isEmpty { return "<span class=\"quiet\">no known service</span>" }
            let rest = ids.count > 8 ? "<li><small>and \(ids.count - 8) more</small></li>" : ""
            return "\(ids.count)<ul>\(ids.prefix(8).map { "<li>\(link(to: $0))</li>" }.joined())\(rest)</ul>"
        }

        private func dependencies(_ registration: DependencySnapshot.Registration) -> String {
            guard let dependencies = registration.dependencies else {
                return "<span class=\"quiet\">unknown: a closure</span>"
            }
            if dependencies.isEmpty { return "<span class=\"quiet\">nothing</span>" }
            let items = dependencies.map { dependency in
                let need = dependency.need == "required" ? "" : " <small>\(escaped(dependency.need))</small>"
                let targets = dependency.targets.map(link).joined(separator: ", ")
                if !targets.isEmpty { return "<li>\(targets)\(need)</li>" }
                let name = escaped(shortName(dependency.type, dependency.arguments, dependency.name))
                let missing =
                    dependency.isMissing ? " <span class=\"bad\">missing</span>" : " <small>not registered</small>"
                return "<li><bdi title=\"\(escaped(dependency.service))\">\(name)</bdi>\(need)\(missing)</li>"
            }
            return "<ul>\(items.joined())</ul>"
        }

        /// The services around a creation, outermost first.
        private func neededBy(_ creation: DependencySnapshot.Creation?) -> String {
            guard let creation else { return "" }
            if creation.depth == 1 { return "<span class=\"quiet\">a resolve call</span>" }
            let outer = creation.chain.dropLast()
            let names = outer.map { "<bdi title=\"\(escaped($0))\">\(escaped(shortNames[$0] ?? $0))</bdi>" }
            let cut = creation.depth > creation.chain.count ? "… → " : ""
            return cut + names.joined(separator: " → ")
        }
    }
#endif
