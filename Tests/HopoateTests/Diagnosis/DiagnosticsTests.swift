#if compiler(>=6.2)
    import Hopoate
    import Testing

    protocol PaymentService: Sendable {}
    private protocol PaymentServices: Sendable {}
    private struct Payment: PaymentService, PaymentServices {}
    private struct Ledger {}

    /// The file and line of a call, as messages print them.
    private func place(_ line: UInt) -> String { "HopoateTests/DiagnosticsTests.swift:\(line)" }

    /// The messages of traps.
    @Suite struct DiagnosticsTests {
        @Test func missingServiceIsNamedInFullWithPlaceAndRemedy() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Asking.byMethod()
            }
            expectSaid(
                result,
                [
                    "Cannot resolve 'any HopoateTests.PaymentService' at \(place(Asking.methodLine)): no registration. Register it",
                    "This container has no registrations",
                    "register(…, for: (any HopoateTests.PaymentService).self)", "optionalResolve",
                ], butNot: ["default container"])
        }

        @Test func freeResolveNamesTheDefaultContainer() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Asking.byFunction()
            }
            expectSaid(
                result,
                [
                    "HopoateTests.", "Ledger",
                    "' at \(place(Asking.functionLine)): no registration in the default container. ",
                ])
        }

        @Test func borrowOfAMissingServiceNamesTheCallSite() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Asking.byBorrowing()
            }
            expectSaid(
                result, ["'any HopoateTests.PaymentService' at \(place(Asking.borrowingLine)): no registration."])
        }

        @Test func freeBorrowOfAMissingServiceNamesTheCallSite() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Asking.byFreeBorrowing()
            }
            expectSaid(
                result,
                [
                    "'any HopoateTests.PaymentService' at \(place(Asking.freeBorrowingLine)): no registration in the default"
                ])
        }

        @Test func referenceToResolveHasNoCallSite() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let ask: ((any PaymentService).Type) -> any PaymentService = DependencyContainer().resolve
                _ = ask((any PaymentService).self)
            }
            expectSaid(
                result, ["Cannot resolve 'any HopoateTests.PaymentService': no registration"])
        }

        @Test func similarNamesAreSuggested() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register(Payment(), for: (any PaymentServices).self)
                container.register(Payment(), for: Payment.self)
                container.register(1, for: Int.self)
                _ = container.makeChild().resolve((any PaymentService).self)
            }
            expectSaid(
                result, ["PaymentServices'", "has a similar name", ".Payment' is registered", "can be used as"],
                butNot: ["'Swift.Int'", "This container has no registrations"])
        }

        @Test func messageDistinguishesAnOverrideFromTheDefaultContainer() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer.shared.register(Payment(), for: (any PaymentService).self)
                DependencyContainer.$shared.withValue(DependencyContainer()) {
                    _ = resolve((any PaymentService).self)
                }
            }
            expectSaid(
                result,
                [
                    "'any HopoateTests.PaymentService'", "It is registered in the default container", "makeChild()",
                ])
        }

        @Test func overrideSuggestsSimilarNamesOfTheDefaultContainer() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer.shared.register(Payment(), for: (any PaymentServices).self)
                DependencyContainer.$shared.withValue(DependencyContainer()) {
                    _ = resolve((any PaymentService).self)
                }
            }
            expectSaid(result, ["PaymentServices'", "in the default container, which was not searched"])
        }

        @Test func childOfTheDefaultContainerIsNotAdvisedToBecomeOne() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer.shared.register(Payment(), for: (any PaymentServices).self)
                DependencyContainer.$shared.withValue(DependencyContainer.shared.makeChild()) {
                    _ = resolve((any PaymentService).self)
                }
            }
            expectSaid(
                result, ["PaymentServices'", "has a similar name"], butNot: ["makeChild()", "was not searched"])
        }

        @Test func wrapperNamesTheLineOfItsProperty() async {
            // The message names the line of the property, not the line that reads it.
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Checkout().payment
            }
            expectSaid(
                result, ["'any HopoateTests.PaymentService' at \(place(Checkout.line)): "])
        }

        @Test func missingServiceInAFactoryNamesTheLineInTheFactory() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Asking.inACreator()
            }
            expectSaid(result, ["'any HopoateTests.PaymentService' at \(place(Asking.creatorLine)): "])
        }

        @Test func removedServiceIsMissing() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.remove(container.register(Ledger(), for: Ledger.self))
                _ = container.resolve(Ledger.self)
            }
            expectSaid(result, ["Ledger", "This container has no registrations"])
        }
    }

    private struct Checkout {
        static let line: UInt = #line + 1
        @Dependency var payment: any PaymentService
    }

    /// Calls that fail. They stand outside the tests, because in a macro argument every line is the line of the macro.
    private enum Asking {
        static let methodLine: UInt = #line + 1
        static func byMethod() { _ = DependencyContainer().resolve((any PaymentService).self) }

        static let functionLine: UInt = #line + 1
        static func byFunction() { _ = resolve(Ledger.self) }

        static let borrowingLine: UInt = #line + 1
        static func byBorrowing() { DependencyContainer().withService((any PaymentService).self) { _ in } }

        static let freeBorrowingLine: UInt = #line + 1
        static func byFreeBorrowing() { withService((any PaymentService).self) { _ in } }

        static let creatorLine: UInt = #line + 4
        static func inACreator() {
            let container = DependencyContainer()
            container.register(Ledger.self, lifetime: .transient) { _ in
                _ = container.resolve((any PaymentService).self)
                return Ledger()
            }
            _ = container.resolve(Ledger.self)
        }
    }
#endif
