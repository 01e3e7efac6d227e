import ChildProcesses
package import Foundation
package import PaymentCore

/// A built executable of this package, run as scripts run it.
package final class Program: Sendable {
    /// The executable called `name` beside the test bundle.
    package static func url(_ name: String) -> URL? {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL.deletingLastPathComponent()
        for _ in 0..<4 {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// An error: the executable is missing.
    package struct NotBuilt: Error {}

    private let child: ChildProcess
    /// The lines of standard output as they arrive.
    package let lines: AsyncStream<String>
    private let errorText: Task<String, Never>

    /// Starts the program.
    package init(
        _ words: [String], input: [UInt8] = [], environment: [String: String] = [:],
        executable: URL? = Program.url("payroute")
    ) throws {
        guard let url = executable else { throw NotBuilt() }
        let (output, errors) = (try Spawning.pipe(), try Spawning.pipe())
        let file = ScratchFile(input)
        defer { for end in [file.descriptor, output.write, errors.write] { close(end) } }
        lines = Self.lines(output.read)
        let errorLines = Self.lines(errors.read)
        errorText = Task { await errorLines.reduce(into: "") { $0 += $1 + "\n" } }
        child = try ChildProcess(
            url.path, words, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: file.descriptor, output: output.write, errors: errors.write)
    }

    /// Sends a signal.
    package func signal(_ number: Int32) { child.signal(number) }

    /// Waits for the end. The code is negative if a signal ended it.
    package func end() async -> (code: Int32, errors: String) { (await child.end(), await errorText.value) }

    /// Waits for the end, and returns the output that was not read before.
    package func captured() async -> Captured {
        let output = await lines.reduce(into: "") { $0 += $1 + "\n" }
        let (code, errors) = await end()
        return Captured(code: code, output: output, errors: errors)
    }

    /// Runs the program to its end.
    package static func run(
        _ words: String..., input: String = "", environment: [String: String] = [:],
        executable: URL? = Program.url("payroute")
    ) async throws -> Captured {
        let program = try Program(words, input: Array(input.utf8), environment: environment, executable: executable)
        return await program.captured()
    }

    /// Waits until a program that was started with `--ready-file` can be called, and returns the content of the file.
    package static func ready(in file: String) async throws -> JSONValue {
        while !FileManager.default.fileExists(atPath: file) { await Task.yield() }
        return try JSONValue(parsing: Array(try Data(contentsOf: URL(filePath: file))))
    }

    /// Reads a pipe on a separate thread, because reading blocks, and closes it.
    private static func lines(_ descriptor: Int32) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var pending: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4096)
            while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
                pending += chunk[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: pending[..<end], as: UTF8.self))
                    pending.removeSubrange(...end)
                }
            }
            if !pending.isEmpty { continuation.yield(String(decoding: pending, as: UTF8.self)) }
            continuation.finish()
            close(descriptor)
        }
        return stream
    }
}
