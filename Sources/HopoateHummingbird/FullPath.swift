#if Hummingbird
    import Hummingbird

    /// A router or group that knows its path from the root of the server.
    private protocol Located {
        var fullPath: RouterPath? { get }
    }

    @available(macOS 14, *)
    extension Router: Located {
        fileprivate var fullPath: RouterPath? { "" }
    }

    @available(macOS 14, *)
    extension DependencyRoutes: Located {}

    @available(macOS 14, *)
    extension RouterGroup: Located {
        /// By reflection, because a group does not publish its path. If another version of Hummingbird stores it otherwise, the path is
        /// not known, and the texts of routes say so.
        fileprivate var fullPath: RouterPath? {
            let mirror = Mirror(reflecting: self)
            guard let path = mirror.descendant("path") as? RouterPath, let parent = mirror.descendant("parent") else {
                return nil
            }
            return HopoateHummingbird.fullPath(of: parent)?.appendingPath(path)
        }
    }

    /// Returns the path of a router or group from the root of the server; nil if it cannot be found out.
    func fullPath(of routes: Any) -> RouterPath? {
        if let routes = routes as? any Located { return routes.fullPath }
        // Between groups with different types of context, Hummingbird has a group without a path.
        guard String(reflecting: type(of: routes)).hasPrefix("Hummingbird."),
            let parent = Mirror(reflecting: routes).descendant("parent")
        else { return nil }
        return fullPath(of: parent)
    }
#endif
