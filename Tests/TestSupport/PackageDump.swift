import ChildProcesses
package import Foundation
import PaymentCore

/// This package's manifest as SwiftPM reads it.
package enum PackageDump {
    /// The output of `swift package dump-package`. A separate scratch folder keeps SwiftPM from waiting for the build
    /// that runs this test.
    package static let json = Result<Data, any Error> {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let words = ["--package-path", Vectors.root.path, "--scratch-path", scratch.path, "dump-package"]
        let dump = try ChildProcess.run(
            "/usr/bin/env", ["swift", "package"] + words,
            environment: ProcessInfo.processInfo.environment.filter { $0.key != "ONLY" }, errors: 2)
        return Data(dump.output)
    }

    /// The names of the package's libraries.
    package static let libraries = Result<[String], any Error> {
        let products = try JSONValue(parsing: Array(json.get()))["products"]?.array ?? []
        return products.filter { $0["type"]?["library"] != nil }.compactMap { $0["name"]?.string }
    }
}
