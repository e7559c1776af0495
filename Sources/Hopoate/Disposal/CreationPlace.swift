/// The creations inside which an instance was created. They tell a shutdown which services it was created for.
struct CreationPlace: Sendable {
    /// Something around a creation.
    enum Surrounding: Sendable {
        /// A creation in flight, by its address.
        case creation(UInt)
        /// A handle of a service, by that service.
        case handle(ServiceIdentity)
    }

    /// The address of the creation. No other creation has it until the disposals of all instances that are created inside this one, and then
    /// that of its own instance, were recorded (invariant J1 in Design.md).
    let address: UInt
    /// The innermost of the creations and handles around it, innermost first.
    let surroundings: [Surrounding]
}
