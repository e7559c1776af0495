// Functions that hide information from the optimizer: the class of a service, the effect of a closure, and that a result is
// unused. The compiler of an application does not have this information either.

/// Returns a closure that the optimizer cannot inline.
@inline(never)
@_optimize(none)
func opaque(_ make: @escaping @Sendable () -> any Sensor) -> @Sendable () -> any Sensor { make }

/// Returns a number that the optimizer cannot know.
@inline(never)
@_optimize(none)
func opaque(_ make: @escaping @Sendable () -> Int) -> @Sendable () -> Int { make }

/// Returns one of two classes, chosen at run time.
@inline(never)
@_optimize(none)
func makeSensor(_ reading: Int) -> any Sensor {
    CommandLine.argc > 1000 ? Barometer(reading) : Thermometer(reading)
}

/// Returns a structure of one of two types.
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
