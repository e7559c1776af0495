import Foundation

/// The path of a temporary file. The file and those of SQLite beside it are deleted with this object.
final class TemporaryFile: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")

    init() {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "shop.sqlite").path }
}
