import Hopoate
import HopoateTestingHelpersPackage
import Testing

private protocol Clock: Sendable { var hour: Int { get } }

// Each test uses its mock on one thread.
private final class ClockMock: Clock, @unchecked Sendable {
    var hour = 0
}

/// The testing helpers, imported as `HopoateTestingHelpersPackage`.
@Suite(.isolatedDependencies) struct ReexportTests {
    @Test func mockOfThePackageIsRegisteredWhileItExists() {
        var mock: MockContainer<any Clock, ClockMock>? = MockContainer(ClockMock())
        mock?.mock.hour = 7
        #expect(resolve((any Clock).self).hour == 7)
        mock?.expectResolved(times: 1)
        mock = nil
        #expect(!DependencyContainer.shared.canResolve((any Clock).self))
    }

    @Test func mockOfThePackageCanBeSubclassed() {
        final class HourMock: MockContainer<any Clock, ClockMock> {
            var hour: Int { mock.hour }
        }
        let mock = HourMock(ClockMock())
        #expect(mock.hour == resolve((any Clock).self).hour)
    }

    @Test func typesCanBeQualifiedWithTheNameOfThePackage() {
        let mock = HopoateTestingHelpersPackage.MockContainer<any Clock, ClockMock>(ClockMock())
        #expect(resolve((any Clock).self) as? ClockMock === mock.mock)
    }

    @Test func traitOfThePackageIsolatesASuite() async throws {
        #expect(DependencyContainer.shared.registrations.isEmpty)
        try await withIsolatedDependencies {
            DependencyContainer.shared.register(ClockMock(), for: (any Clock).self)
            #expect(DependencyContainer.shared.canResolve((any Clock).self))
        }
        #expect(DependencyContainer.shared.registrations.isEmpty)
    }
}
