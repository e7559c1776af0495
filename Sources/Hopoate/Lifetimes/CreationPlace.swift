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

    /// The length of the longest list of surroundings.
    private static var most: Int { 16 }

    init(_ creation: InFlightCreation) {
        address = Self.address(of: creation)
        var surroundings: [Surrounding] = []
        var next = creation.outer
        while let outer = next, surroundings.count < Self.most {
            if outer.isInFlight {
                surroundings.append(.creation(Self.address(of: outer)))
            } else if outer.ownership != .caller {
                // See `OwningService.run`.
                surroundings.append(.handle(outer.identity))
            }
            next = outer.outer
        }
        self.surroundings = surroundings
    }

    private static func address(of creation: Creation) -> UInt { UInt(bitPattern: ObjectIdentifier(creation)) }
}
