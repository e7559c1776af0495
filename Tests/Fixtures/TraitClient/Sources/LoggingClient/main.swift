import Hopoate
import HopoateLogging

#if canImport(Logging)
    import Logging

    LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardOutput(label: label)
        handler.logLevel = .trace
        return handler
    }
#endif

let container = DependencyContainer()
container.instrument(with: LoggingInstrument())
container.register(7, for: Int.self)
print(container.resolve(Int.self))
