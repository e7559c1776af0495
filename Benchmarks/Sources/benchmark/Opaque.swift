// What keeps the compiler from knowing too much: it must not see which class a service is of, nor what a closure does,
// nor that nobody looks at a result. An application's compiler does not see these either.

/// A closure that the compiler cannot see through.
@inline(never)
@_optimize(none)
func opaque(_ make: @escaping @Sendable () -> any Sensor) -> @Sendable () -> any Sensor { make }

/// The same for a number.
@inline(never)
@_optimize(none)
func opaque(_ make: @escaping @Sendable () -> Int) -> @Sendable () -> Int { make }

/// One of two classes, chosen at run time.
@inline(never)
@_optimize(none)
func makeSensor(_ reading: Int) -> any Sensor {
    CommandLine.argc > 1000 ? Barometer(reading) : Thermometer(reading)
}

/// A structure of one of two types.
@inline(never)
@_optimize(none)
func makeScale(_ sensor: any Sensor) -> any Scale {
    CommandLine.argc > 1000 ? Spring(grams: 1) : Balance(sensor: sensor, grams: (1, 2, 3))
}

/// Uses a number.
@inline(never)
@_optimize(none)
func consume(_ number: Int) {}

/// Uses an object.
@inline(never)
@_optimize(none)
func consume(_ object: AnyObject) {}
