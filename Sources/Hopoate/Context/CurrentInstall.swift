/// The innermost install around the running code. It does not know the class of the recorder: see InstallationRecorder.swift.
enum CurrentInstall {
    @TaskLocal
    static var recorder: (any AnyObject & Sendable)?

    /// Runs a closure outside of any install: a factory that runs for the container that owns it.
    static func unbound<Output>(_ body: () -> Output) -> Output {
        recorder == nil ? body() : $recorder.withValue(nil, operation: body)
    }
}
