package import Foundation
import PaymentCore

/// This package's manifest as SwiftPM reads it.
package enum PackageDump {
    /// The output of `swift package dump-package`. A separate scratch folder keeps SwiftPM from waiting for the build
    /// that runs this test.
    package static let json = Result<Data, any Error> {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", Vectors.root.path, "--scratch-path", scratch.path, "dump-package",
        ]
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "ONLY" }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return text
    }

    /// The names of the package's libraries.
    package static let libraries = Result<[String], any Error> {
        let products = try JSONValue(parsing: Array(json.get()))["products"]?.array ?? []
        return products.filter { $0["type"]?["library"] != nil }.compactMap { $0["name"]?.string }
    }
}
