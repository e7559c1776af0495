/// The settings of the service.
package struct Settings: Sendable {
    /// 0 for any free port.
    package var port = 0
    /// The time for all health checks together.
    package var healthLimit = Duration.seconds(1)
    /// The time to close one component.
    package var closeLimit = Duration.seconds(5)
    /// The time to close all components.
    package var stopLimit = Duration.seconds(20)

    package init() {}
}
