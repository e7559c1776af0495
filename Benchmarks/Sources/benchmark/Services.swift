// What is registered: services as an application has them, class-bound protocols with more than one class that
// conforms.

protocol Sensor: AnyObject, Sendable {
    func reading() -> Int
}

/// The same, for registrations that come and go.
protocol Probe: AnyObject, Sendable {
    func reading() -> Int
}

/// The same, for a service that is made anew each time.
protocol Gauge: AnyObject, Sendable {
    func reading() -> Int
}

/// The same, for a type that is registered three times.
protocol Trio: AnyObject, Sendable {
    func reading() -> Int
}

final class Thermometer: Sensor, Probe, Gauge, Trio {
    let degrees: Int

    init(_ degrees: Int) { self.degrees = degrees }

    func reading() -> Int { degrees }
}

final class Barometer: Sensor, Probe, Gauge, Trio {
    let pascals: Int

    init(_ pascals: Int) { self.pascals = pascals }

    func reading() -> Int { pascals / 100 }
}

/// A service with three dependencies.
final class Laboratory: Sendable {
    let sensor: any Sensor
    let probe: any Probe
    let trio: any Trio

    init(sensor: any Sensor, probe: any Probe, trio: any Trio) {
        self.sensor = sensor
        self.probe = probe
        self.trio = trio
    }

    func reading() -> Int { sensor.reading() }
}

/// A service as most are written: a structure behind a protocol that asks nothing of its types. Its existential is lent in
/// place, or it is copied, box and all.
protocol Scale: Sendable {
    func reading() -> Int
}

struct Balance: Scale {
    let sensor: any Sensor
    let grams: (Int, Int, Int)

    func reading() -> Int { grams.1 }
}

struct Spring: Scale {
    let grams: Int

    func reading() -> Int { grams }
}
