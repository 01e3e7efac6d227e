import Foundation

/// A new empty folder, which is removed with its content when this object is freed.
package final class ScratchFolder: Sendable {
    package let path: String

    /// - Parameter isInMemory: true for a folder that is on no disk, where the system has such.
    package init(isInMemory: Bool = false) {
        let memory = "/dev/shm"
        let parent =
            isInMemory && FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        var template = Array((parent + "/payroute-test-XXXXXX").utf8CString)
        let made = mkdtemp(&template) != nil
        precondition(made, "the temporary folder must be writable")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The folder's file names, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
