import Testing

/// The helpers of the other tests.
@Suite(.mayBlock) struct SupportTests {
    @Test func conditionsAreEvaluatedAgainInsideAnExpectation() async {
        let (blocking, suspending) = (Locked(0), Locked(0))
        await onThread { #expect(eventually { blocking.next() >= 3 }) }
        #expect(await eventually { suspending.next() >= 3 })
    }
}
