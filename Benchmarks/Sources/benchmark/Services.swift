// Services like those of an application: class-bound protocols with more than one conforming class.

protocol Sensor: AnyObject, Sendable {
    func reading() -> Int
}

/// Like `Sensor`, for registrations that come and go.
protocol Probe: AnyObject, Sendable {
    func reading() -> Int
}

/// Like `Sensor`, for a transient service.
protocol Gauge: AnyObject, Sendable {
    func reading() -> Int
}

/// Like `Sensor`, for a type with three registrations.
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

/// A typical service: a structure behind a protocol that is not class-bound. Its existential is borrowed in place, or copied with
/// its box.
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
