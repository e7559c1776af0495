import Hopoate
import Testing

private enum CodeKey: DependencyKey {
    static let defaultValue = "default"
}
private enum SuffixKey: DependencyKey {
    static let defaultValue = ""
}
private enum PartKey: DependencyKey {
    static var defaultValue: Tracked? { nil }
}

extension DependencyValues {
    fileprivate var code: String {
        get { self[CodeKey.self] }
        nonmutating set { self[CodeKey.self] = newValue }
    }
    fileprivate var suffix: String {
        get { self[SuffixKey.self] }
        nonmutating set { self[SuffixKey.self] = newValue }
    }
    /// Made of two values.
    fileprivate var fullCode: String { code + suffix }
    fileprivate var part: Tracked? {
        get { self[PartKey.self] }
        nonmutating set { self[PartKey.self] = newValue }
    }
}

private final class Label: Sendable {
    // Constants, because the attribute makes variables.
    private let wrappedCode = Dependency(\.code)
    private let wrappedFullCode = Dependency(\.fullCode)
    private let wrappedPart = Dependency(\.part)

    var code: String { wrappedCode.wrappedValue }
    var fullCode: String { wrappedFullCode.wrappedValue }
    var part: Tracked? { wrappedPart.wrappedValue }
    func replace(by code: String) { wrappedCode.wrappedValue = code }
}

/// An override around the access to a value of a property wrapper.
@Suite(.mayBlock) struct ValueOverrideTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    private func makeLabel() -> Label { DependencyContainer.$shared.withValue(container) { Label() } }

    private func bound<Output>(_ body: () throws -> Output) rethrows -> Output {
        try DependencyContainer.$shared.withValue(container, operation: body)
    }

    @Test func anOverrideAroundTheAccessWins() {
        container.values.code = "container"
        let label = makeLabel()
        bound {
            withDependencies {
                $0.code = "override"
            } operation: {
                #expect(label.code == "override")
                withDependencies {
                    $0.code = "inner"
                } operation: {
                    #expect(label.code == "inner")
                }
                #expect(label.code == "override")
            }
            #expect(label.code == "container")
        }
        #expect(label.code == "container")
    }

    @Test func anOverrideAroundTheAccessWinsAfterTheValueWasCached() async {
        let label = makeLabel()
        #expect(label.code == "default")
        await withDependencies {
            $0.code = "override"
        } operation: {
            await Task.yield()
            #expect(label.code == "override")
            async let child = label.code
            let codes = await [Task { label.code }.value, child, Task.detached { label.code }.value]
            #expect(codes == ["override", "override", "default"])
        }
        #expect(label.code == "default")
    }

    @Test func anOverrideAroundTheInitializationStays() {
        let label = bound {
            withDependencies {
                $0.code = "captured"
            } operation: {
                Label()
            }
        }
        #expect(label.code == "captured")
        bound { #expect(label.code == "captured") }
    }

    @Test func overridesOfDifferentValuesAreCombined() {
        let label = bound {
            withDependencies {
                $0.code = "captured"
            } operation: {
                Label()
            }
        }
        bound {
            withDependencies {
                $0.suffix = "+override"
            } operation: {
                #expect(label.code == "captured")
                #expect(label.fullCode == "captured+override")
            }
        }
        #expect(label.fullCode == "captured")
    }

    @Test func aContainerThatBothHaveIsNoOverride() {
        let label = bound {
            withDependencies {
                $0.code = "captured"
            } operation: {
                Label()
            }
        }
        container.values.code = "container"
        bound {
            withDependencies { _ in
            } operation: {
                #expect(label.code == "captured")
            }
        }
    }

    @Test func theContainerOfARequestIsAnOverride() {
        container.values.code = "container"
        let label = makeLabel()
        let request = container.makeChild()
        request.values.code = "request"
        DependencyContainer.$shared.withValue(request) { #expect(label.code == "request") }
        let other = container.makeChild().makeChild()
        DependencyContainer.$shared.withValue(other) { #expect(label.code == "container") }
    }

    @Test func anUnrelatedContainerOverridesTheValuesThatItSets() {
        container.values.code = "container"
        let label = makeLabel()
        DependencyContainer.$shared.withValue(DependencyContainer()) {
            #expect(label.code == "container")
            DependencyContainer.shared.values.code = "isolated"
            #expect(label.code == "isolated")
        }
    }

    @Test func anAssignedValueStays() {
        let label = makeLabel()
        label.replace(by: "assigned")
        withDependencies {
            $0.code = "override"
        } operation: {
            #expect(label.code == "assigned")
        }
    }

    @Test func aGivenContainerIsNotOverridden() {
        container.values.code = "container"
        let wrapper = Dependency(\.code, container: container)
        withDependencies {
            $0.code = "override"
        } operation: {
            #expect(wrapper.wrappedValue == "container")
            #expect(Dependency(\.code, container: container).wrappedValue == "container")
        }
    }

    @Test func aFactoryOfASharedServiceSeesNoOverrideOfItsFirstCaller() {
        container.values.code = "container"
        let label = makeLabel()
        container.register(String.self) { _ in label.code }
        let code = bound {
            withDependencies {
                $0.code = "override"
            } operation: {
                DependencyContainer.shared.resolve(String.self)
            }
        }
        #expect(code == "container")
    }

    @Test func aSingletonSeesTheOverrideOfEachCaller() {
        container.values.code = "container"
        container.register(Label.self) { _ in Label() }
        let label = container.resolve(Label.self)
        for _ in 0..<2 {
            bound {
                withDependencies {
                    $0.code = "override"
                } operation: {
                    #expect(label.code == "override")
                }
                #expect(label.code == "container")
            }
        }
    }

    @Test func aValueThatWasReadOutlivesTheContainer() throws {
        var container: DependencyContainer? = DependencyContainer()
        container?.values.code = "container"
        container?.register(Label.self) { _ in Label() }
        let label = try #require(container?.resolve(Label.self))
        #expect(label.code == "container")
        container = nil
        #expect(label.code == "container")
        withDependencies {
            $0.code = "override"
        } operation: {
            #expect(label.code == "container")
        }
        #expect(trap { _ = label.fullCode }?.reason == .containerGone)
    }

    @Test func aValueOfAnOverrideIsNotKept() {
        let label = makeLabel()
        withDependencies {
            $0.part = tracker.make()
        } operation: {
            #expect(label.part?.isIntact == true)
        }
        expectGone(tracker)
        #expect(label.part == nil)
    }

    @Test func parallelTasksSeeTheirOwnOverrides() async {
        let label = makeLabel()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    await withDependencies {
                        $0.code = "\(number)"
                    } operation: {
                        await Task.yield()
                        check(label.code == "\(number)")
                    }
                }
            }
        }
        #expect(label.code == "default")
    }

    @Test(arguments: threadCounts) func anOverrideOnOneThreadLeavesTheOthersAlone(threads: Int) {
        container.values.part = tracker.make(-1)
        let label = makeLabel()
        runThreads(threads) { [tracker] index in
            for _ in 0..<rounds(200) {
                check(label.part?.number == -1)
                let part = tracker.make(index)
                withDependencies {
                    $0.part = part
                } operation: {
                    check(label.part?.number == index)
                }
            }
        }
        check(label.part?.number == -1)
    }
}
