#if Hummingbird
    import Hopoate
    import HopoateServer
    import Logging

    /// Logs when the outcome of a health check changes.
    ///
    /// Load balancers ask every few seconds, so each outcome on a line of its own would hide the beginning of an outage.
    @available(macOS 14, *)
    actor HealthLog {
        /// A check. Checks of the same service may come from the same place, for example from a loop, so they are numbered.
        private struct Check: Hashable {
            let service: ObjectIdentifier
            let name: String?
            let probe: DependencyHealth.Probe
            let place: String?
            var number = 0
        }

        private enum Failure {
            case unhealthy, timedOut, failed
        }

        /// The checks whose last outcome was bad.
        private var failures: [Check: Failure] = [:]

        /// Logs the outcomes that differ from the last ones.
        func note(_ health: DependencyHealth, of probe: DependencyHealth.Probe, to logger: Logger) {
            // A shutdown closes services, so failures during it are none.
            if health.isShutDown { return }
            var seen: Set<Check> = []
            for result in health.results {
                var check = Check(
                    service: ObjectIdentifier(result.service), name: result.name?.text, probe: result.probe,
                    place: result.place)
                while !seen.insert(check).inserted { check.number += 1 }
                note(result, of: check, to: logger)
            }
            // Readiness runs all checks: the others have been removed.
            if probe == .readiness { failures = failures.filter { seen.contains($0.key) } }
        }

        private func note(_ result: DependencyHealth.Result, of check: Check, to logger: Logger) {
            var failure: Failure?
            var metadata: Logger.Metadata = [
                "service": "\(typeLabel(result.service))", "kind": "\(check.probe.word)",
            ]
            if let name = check.name { metadata["name"] = "\(name)" }
            if let place = check.place { metadata["place"] = "\(place)" }
            switch result.status {
            case .healthy, .notCreated: break
            case .unhealthy(let error):
                failure = .unhealthy
                metadata["error"] = "\(error)"
            case .timedOut:
                failure = .timedOut
                metadata["error"] = "timed out"
            case .failed(let error):
                failure = .failed
                metadata["error"] = "\(error)"
            }
            let last = failures[check]
            failures[check] = failure
            if failure != nil {
                logger.log(level: failure == last ? .debug : .error, "A health check failed.", metadata: metadata)
            } else if last != nil {
                logger.notice("A health check succeeds again.", metadata: metadata)
            }
        }
    }
#endif
