import Foundation
import PaymentCore
import PaymentTesting

/// A record store over an engine of your own, and what checks it. Run it with `swift run own-store`.
@main
struct OwnStore {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "own-store-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let report = await RecordConformance.check(
            RecordSubject("LineFile") {
                let path = folder.appending(path: "\(UUID())").path
                // This program cannot cut the power. It opens a copy of the file with half a line behind the last one,
                // as a crash in the middle of a change leaves it.
                return RecordSubject.Storage(
                    try LineFile(path: path), reopen: { try LineFile(path: path) },
                    losePower: {
                        let left = try Data(contentsOf: URL(filePath: path)) + Data(#"{"writes":[{"ki"#.utf8)
                        try left.write(to: URL(filePath: path + "-left"))
                        return try LineFile(path: path + "-left")
                    })
            })
        print(report)
    }
}
