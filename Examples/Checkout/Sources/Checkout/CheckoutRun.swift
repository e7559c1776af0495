import Hopoate

/// A run of the program without its command line: from an input to its report.
package struct CheckoutRun: Sendable {
    private let options: Options

    package init(_ options: Options) {
        self.options = options
    }

    /// Processes the lines as often as configured, with the services of `DependencyContainer.shared`.
    ///
    /// - Parameters:
    ///   - lines: The input.
    ///   - name: The name of the input in the report.
    /// - Returns: The report.
    package func report(on lines: InputLines, name: String) async -> Report {
        let container = DependencyContainer.shared
        let dryRun = options.isDryRun ? DryRun(in: container) : nil
        var report = await runPasses(over: lines, name: name, in: container)
        if let dryRun {
            dryRun.end(in: container)
            report.dryRun = Report.DryRun(
                withheld: dryRun.payment.withheld, restored: Report.Payment(resolve((any PaymentService).self)))
        }
        return report
    }

    private func runPasses(over lines: InputLines, name: String, in container: DependencyContainer) async -> Report {
        let time = resolve((any TimeSource).self)
        let pipeline = Pipeline(workers: options.workers)
        let start = time.now
        let first = await pipeline.run(lines)
        let audit = await resolve((any AuditLog).self).digest
        var resolves = first.resolves
        var passesAgree = true
        for _ in 1..<options.passes {
            Services.registerDay(in: container)
            let next = await pipeline.run(lines)
            resolves += next.resolves
            let nextAudit = await resolve((any AuditLog).self).digest
            passesAgree = passesAgree && next.summary == first.summary && nextAudit == audit
        }
        let load = Report.Load(
            workers: options.workers, passes: options.passes, passesAgree: passesAgree, resolves: resolves,
            elapsed: time.now - start)

        let inventory = resolve((any Inventory).self)
        return Report(
            input: name, summary: first.summary, audit: audit,
            stock: Dictionary(uniqueKeysWithValues: first.summary.short.keys.map { ($0, inventory.stock(of: $0)) }),
            payment: Report.Payment(resolve((any PaymentService).self)), dryRun: nil, load: load)
    }
}
