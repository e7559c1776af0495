import History
import Testing

/// A history with the initial registration 1 under key 0, and with no others unless they are given.
private func history(
    _ calls: [InstanceCall], _ creations: [InstanceCreation] = [], _ disposals: [InstanceDisposal] = [],
    lifetime: InstanceLifetime = .singleton, others: [Identifier: LazyRegistration] = [:], quiet: UInt64? = 1000
) -> InstanceHistory {
    let first = InstanceCall(.register, thread: .max, 1, invoked: 0, returned: 1)
    return InstanceHistory(
        registrations: others.merging([1: LazyRegistration(lifetime)]) { own, _ in own }, calls: [first] + calls,
        creations: creations, disposals: disposals, quiet: quiet)
}

private func rules(_ history: InstanceHistory) -> Set<InstanceFlaw.Rule> {
    Set(check(history).flaws.map(\.rule))
}

private func resolve(
    thread: Int = 0, container: Int = 0, key: Int = 0, argument: Int = 0, _ instance: Identifier, _ invoked: UInt64,
    _ returned: UInt64
) -> InstanceCall {
    InstanceCall(
        .resolve, thread: thread, container: container, key: key, argument: argument, answer: .found,
        instance: instance, invoked: invoked, returned: returned)
}

/// The shutdown of the container at the end of a history.
private let end = InstanceCall(.shutDown, thread: .max, invoked: 1001, returned: 1010)
private let hookAtTheEnd = InstanceDisposal(thread: .max, instance: 7, begun: 1002, ended: 1003)
/// Instance 7 of registration 1, created between 11 and 19.
private let creation = InstanceCreation(1, instance: 7, begun: 11, ended: 19)

struct CorrectInstances {
    @Test func waitersGetTheInstanceOfTheOneCreation() {
        let correct = history(
            [resolve(7, 10, 20), resolve(thread: 1, 7, 12, 22), resolve(thread: 1, 7, 30, 31), end], [creation],
            [hookAtTheEnd])
        #expect(rules(correct).isEmpty)
    }

    @Test func childrenHaveScopedInstancesOfTheirOwn() {
        let correct = history(
            [
                resolve(container: 1, 7, 10, 20), resolve(container: 2, 8, 21, 30), resolve(container: 1, 7, 31, 32),
                InstanceCall(.shutDown, container: 1, invoked: 40, returned: 50),
                InstanceCall(.shutDown, container: 2, invoked: 51, returned: 60),
            ],
            [
                InstanceCreation(1, place: 1, instance: 7, begun: 11, ended: 19),
                InstanceCreation(1, place: 2, instance: 8, begun: 22, ended: 29),
            ],
            [
                InstanceDisposal(instance: 7, begun: 41, ended: 42),
                InstanceDisposal(instance: 8, begun: 52, ended: 53),
            ], lifetime: .scoped)
        #expect(rules(correct).isEmpty)
    }

    @Test func argumentsHaveKeyedInstancesOfTheirOwn() {
        let correct = history(
            [resolve(argument: 1, 7, 10, 20), resolve(argument: 2, 8, 21, 30), end],
            [
                InstanceCreation(1, place: 1, instance: 7, begun: 11, ended: 19),
                InstanceCreation(1, place: 2, instance: 8, begun: 22, ended: 29),
            ],
            [
                InstanceDisposal(thread: .max, instance: 8, begun: 1002, ended: 1003),
                InstanceDisposal(thread: .max, instance: 7, begun: 1004, ended: 1005),
            ], lifetime: .keyed)
        #expect(rules(correct).isEmpty)
    }

    @Test func instanceOfARemovedRegistrationGoesToThoseWhoAskedBefore() {
        // The hook runs on the creating thread, when the creation is complete.
        let correct = history(
            [
                resolve(7, 10, 30), InstanceCall(.remove, thread: 1, 1, invoked: 12, returned: 14),
                resolve(thread: 2, 7, 11, 40),
                InstanceCall(.resolve, thread: 1, answer: .missing, invoked: 15, returned: 16),
            ], [InstanceCreation(1, instance: 7, begun: 11, ended: 19)],
            [InstanceDisposal(instance: 7, begun: 20, ended: 21)])
        #expect(rules(correct).isEmpty)
    }

    @Test func failureIsNotKept() {
        let correct = history(
            [
                InstanceCall(.resolve, answer: .failed, invoked: 2, returned: 6),
                InstanceCall(.resolve, thread: 1, answer: .failed, invoked: 3, returned: 8),
                // This call joins after the factory has thrown, and before its caller has told the waiters.
                InstanceCall(.resolve, thread: 2, answer: .failed, invoked: 6, returned: 9), resolve(7, 10, 20), end,
            ], [InstanceCreation(1, instance: .none, begun: 3, ended: 5), creation], [hookAtTheEnd])
        #expect(rules(correct).isEmpty)
    }

    @Test func instanceThatIsCreatedDuringAShutdownIsDisposedOfAndNotAnswered() {
        let correct = history(
            [
                InstanceCall(.resolve, answer: .ended, invoked: 10, returned: 30),
                InstanceCall(.shutDown, thread: 1, invoked: 12, returned: 14),
                InstanceCall(.resolve, thread: 1, answer: .ended, invoked: 15, returned: 16),
            ], [creation], [InstanceDisposal(instance: 7, begun: 20, ended: 21)])
        #expect(rules(correct).isEmpty)
    }

    @Test func secondShutdownReturnsBeforeTheFirst() {
        let correct = history(
            [
                resolve(7, 2, 5), InstanceCall(.shutDown, thread: 1, invoked: 10, returned: 30),
                InstanceCall(.shutDown, invoked: 11, returned: 12), resolve(7, 13, 14),
                InstanceCall(.resolve, thread: 1, answer: .ended, invoked: 31, returned: 32),
            ], [InstanceCreation(1, instance: 7, begun: 3, ended: 4)],
            [InstanceDisposal(thread: 1, instance: 7, begun: 20, ended: 21)])
        #expect(rules(correct).isEmpty)
    }

    @Test func factoryThatAShutdownOvertakesMayBeASecondOne() {
        let late = InstanceCreation(1, place: 1, instance: 8, begun: 30, ended: 31)
        let first = InstanceCreation(1, place: 1, instance: 7, begun: 3, ended: 4)
        let hooks = [
            InstanceDisposal(thread: 1, instance: 7, begun: 22, ended: 23),
            InstanceDisposal(instance: 8, begun: 32, ended: 33),
        ]
        var calls = [
            resolve(container: 1, 7, 2, 5), InstanceCall(.shutDown, thread: 1, container: 1, invoked: 20, returned: 25),
            InstanceCall(.resolve, container: 1, answer: .ended, invoked: 10, returned: 40),
        ]
        #expect(rules(history(calls, [first, late], hooks, lifetime: .scoped)).isEmpty)
        calls[2] = resolve(container: 1, 8, 10, 40)
        #expect(rules(history(calls, [first, late], hooks, lifetime: .scoped)) == [.createdTwice])
    }

    @Test func orderOfOverlappingCreationsIsOpen() {
        for disposals: [Identifier] in [[7, 8], [8, 7]] {
            let correct = history(
                [resolve(7, 10, 20), resolve(thread: 1, key: 1, 8, 10, 20), end],
                [creation, InstanceCreation(thread: 1, 2, instance: 8, begun: 12, ended: 18)],
                [
                    InstanceDisposal(thread: .max, instance: disposals[0], begun: 1002, ended: 1003),
                    InstanceDisposal(thread: .max, instance: disposals[1], begun: 1004, ended: 1005),
                ], others: [2: LazyRegistration(key: 1, .singleton)]
            ).registering(2)
            #expect(rules(correct).isEmpty)
        }
    }
}

extension InstanceHistory {
    /// Adds an initial registration.
    fileprivate func registering(_ identifier: Identifier) -> InstanceHistory {
        var history = self
        history.calls.append(InstanceCall(.register, thread: .max, identifier, invoked: 0, returned: 1))
        return history
    }
}

struct IncorrectInstances {
    @Test func secondInstanceOfASingletonIsFound() {
        let wrong = history(
            [resolve(7, 10, 20), resolve(thread: 1, 8, 10, 20), end],
            [creation, InstanceCreation(thread: 1, 1, instance: 8, begun: 12, ended: 18)],
            [hookAtTheEnd, InstanceDisposal(thread: .max, instance: 8, begun: 1004, ended: 1005)])
        #expect(rules(wrong) == [.createdTwice])
    }

    @Test func scopedInstanceOfAnotherContainerIsFound() {
        let wrong = history(
            [resolve(container: 1, 7, 10, 20), resolve(container: 2, 7, 21, 30)],
            [InstanceCreation(1, place: 1, instance: 7, begun: 11, ended: 19)], lifetime: .scoped, quiet: nil)
        #expect(rules(wrong) == [.foreignInstance])
    }

    @Test func keyedInstanceOfAnotherArgumentIsFound() {
        let wrong = history(
            [resolve(argument: 1, 7, 10, 20), resolve(argument: 2, 7, 21, 30)],
            [InstanceCreation(1, place: 1, instance: 7, begun: 11, ended: 19)], lifetime: .keyed, quiet: nil)
        #expect(rules(wrong) == [.foreignInstance])
    }

    @Test func instanceThatNoFactoryReturnedIsFound() {
        #expect(rules(history([resolve(.dead, 10, 20)])) == [.foreignInstance])
    }

    @Test func answerBeforeTheFactoryReturnsIsFound() {
        let wrong = history([resolve(7, 10, 20), resolve(thread: 1, 7, 12, 15)], [creation], quiet: nil)
        #expect(rules(wrong) == [.answeredBeforeCreation])
    }

    @Test func failureWithoutAThrowingFactoryIsFound() {
        let early = InstanceCreation(1, instance: .none, begun: 3, ended: 5)
        let wrong = history([InstanceCall(.resolve, answer: .failed, invoked: 10, returned: 20)], [early])
        #expect(rules(wrong) == [.failedWithoutReason])
    }

    @Test func shutdownThatNobodyHasBegunIsFound() {
        let wrong = history([
            InstanceCall(.resolve, answer: .ended, invoked: 10, returned: 20),
            InstanceCall(.shutDown, thread: 1, invoked: 21, returned: 22),
        ])
        #expect(rules(wrong) == [.endedWithoutReason])
    }

    @Test func scopedInstanceAfterTheShutdownOfItsContainerIsFound() {
        let wrong = history(
            [
                InstanceCall(.shutDown, container: 1, invoked: 2, returned: 3), resolve(container: 1, 7, 10, 20),
            ], [InstanceCreation(1, place: 1, instance: 7, begun: 11, ended: 19)], lifetime: .scoped, quiet: nil)
        #expect(rules(wrong) == [.foundAfterShutdown])
    }

    @Test func secondRunOfAHookIsFound() {
        let wrong = history(
            [resolve(7, 10, 20), end], [creation],
            [hookAtTheEnd, InstanceDisposal(thread: .max, instance: 7, begun: 1004, ended: 1005)])
        #expect(rules(wrong) == [.disposedTwice])
    }

    @Test func hookThatNeverRunsIsFound() {
        #expect(rules(history([resolve(7, 10, 20), end], [creation])) == [.neverDisposed])
    }

    @Test func hookThatRunsOnlyAtTheEndAlthoughTheRegistrationIsRemovedIsFound() {
        let wrong = history(
            [resolve(7, 10, 20), InstanceCall(.remove, thread: 1, 1, invoked: 12, returned: 14), end], [creation],
            [hookAtTheEnd])
        #expect(rules(wrong) == [.neverDisposed])
    }

    @Test func hookOfAnInstanceThatNobodyHasReleasedIsFound() {
        let wrong = history(
            [resolve(7, 10, 30)], [creation], [InstanceDisposal(instance: 7, begun: 20, ended: 21)])
        #expect(rules(wrong) == [.disposedOutsideOfRelease])
    }

    @Test func hookThatRunsAfterTheRemovalReturnedIsFound() {
        let wrong = history(
            [resolve(7, 10, 20), InstanceCall(.remove, thread: 1, 1, invoked: 22, returned: 24)], [creation],
            [InstanceDisposal(thread: 1, instance: 7, begun: 26, ended: 27)])
        #expect(rules(wrong) == [.disposedOutsideOfRelease])
    }

    @Test func hookBeforeTheFactoryReturnsIsFound() {
        let wrong = history(
            [resolve(7, 10, 20), InstanceCall(.remove, thread: 1, 1, invoked: 12, returned: 18)], [creation],
            [InstanceDisposal(thread: 1, instance: 7, begun: 13, ended: 14)])
        #expect(rules(wrong).contains(.disposedBeforeCreation))
    }

    @Test func hookOfARegistrationThatHasNoneIsFound() {
        var wrong = history([resolve(7, 10, 20), end], [creation], [hookAtTheEnd])
        wrong.registrations[1]?.hasHook = false
        #expect(rules(wrong) == [.disposedOfNothing])
    }

    @Test func instanceThatIsFoundAfterItsDisposalIsFound() {
        // Two threads make the calls, so the lookup alone may have come before the removal.
        let wrong = history(
            [
                resolve(7, 10, 20), InstanceCall(.remove, thread: 1, 1, invoked: 22, returned: 40),
                resolve(thread: 2, 7, 26, 28),
            ], [creation], [InstanceDisposal(thread: 1, instance: 7, begun: 23, ended: 24)])
        #expect(rules(wrong) == [.foundAfterDisposal])
    }

    @Test func registrationThatIsFoundAfterItsRemovalReturnedIsFound() {
        let wrong = history(
            [
                resolve(7, 10, 20), InstanceCall(.remove, thread: 1, 1, invoked: 22, returned: 25),
                resolve(thread: 2, 7, 26, 28),
            ], [creation], quiet: nil)
        #expect(rules(wrong) == [.lookup])
    }

    @Test(arguments: [InstanceCall.Kind.removeAll, .shutDown, .overwrite])
    func registrationThatIsFoundAfterAnythingElseThatRemovesItIsFound(kind: InstanceCall.Kind) {
        let wrong = history(
            [
                resolve(7, 10, 20), InstanceCall(kind, thread: 1, 2, invoked: 22, returned: 25),
                resolve(thread: 2, 7, 26, 28),
            ], [creation], others: [2: LazyRegistration(.singleton)], quiet: nil)
        #expect(rules(wrong).contains(.lookup))
    }

    @Test func disposalInTheOrderOfCreationIsFound() {
        // Instance 7 was complete before the factory of instance 8 returned.
        let wrong = history(
            [resolve(key: 1, 8, 5, 30), resolve(7, 10, 20), end],
            [creation, InstanceCreation(2, instance: 8, begun: 6, ended: 25)],
            [hookAtTheEnd, InstanceDisposal(thread: .max, instance: 8, begun: 1004, ended: 1005)],
            others: [2: LazyRegistration(key: 1, .singleton)]
        ).registering(2)
        #expect(rules(wrong) == [.disposedOutOfOrder])
    }

    @Test func readingsAsCloseAsTheClocksMayBeApartProveNothing() {
        var open = history([resolve(7, 10, 20), resolve(thread: 1, 7, 12, 15)], [creation], quiet: nil)
        open.warp = 2
        #expect(rules(open).isEmpty)
        open.warp = 1
        #expect(rules(open) == [.answeredBeforeCreation])
    }

    @Test func tableNamesTheRuleAndTheCall() {
        let wrong = history([resolve(7, 10, 20), resolve(thread: 1, 7, 12, 15)], [creation], quiet: nil)
        let table = wrong.table(check(wrong).flaws)
        #expect(table.contains("answeredBeforeCreation of instance 7"))
        #expect(
            table.contains("resolve key 0 in container 0, argument 0: instance 7   <- answeredBeforeCreation"))
    }
}
