import ChildProcesses
import Foundation
import PaymentCore

/// A file that reports to the starter of the sandbox that it is ready, and its address.
struct ReadyFile {
    private let url: URL

    /// Writes the file, whole or not at all.
    init(_ path: String, _ base: HTTPURL) throws {
        url = URL(filePath: path)
        let content: JSONValue = [
            "url": .string(base.text), "port": .number(JSONNumber(Int(base.port))),
            "pid": .number(JSONNumber(Int(ProcessInfo.processInfo.processIdentifier))),
        ]
        do {
            try Data(content.serialized() + Array("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw CommandError(
                description:
                    "\(Printable.text(path)) cannot be written: name a file in a folder that is there and writable")
        }
    }

    /// Removes the file, so that an ended sandbox is not called.
    func remove() { try? FileManager.default.removeItem(at: url) }
}

/// The user's browser.
enum Browser {
    /// Opens an address, or reports that it could not.
    static func open(_ address: String, _ console: Console) {
        #if canImport(Glibc) || canImport(Musl)
            let program = "xdg-open"
        #else
            let program = "open"
        #endif
        guard let opener = try? ChildProcess("/usr/bin/env", [program, address]) else { return fail(address, console) }
        Task {
            if await opener.end() != 0 { fail(address, console) }
        }
    }

    private static func fail(_ address: String, _ console: Console) {
        console.diagnostics.line("No browser could be started; open \(address) in one.")
    }
}
