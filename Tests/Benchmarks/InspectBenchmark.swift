import ChildProcesses
import Foundation
import PaymentCore
import TestSupport

/// `payroute inspect -` on a file of a million mixed lines: its speed and memory.
enum InspectBenchmark {
    private static let lines = 1_000_000

    static func run() throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "payroute")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            print("inspect: build the product payroute, which stands beside this program, to measure it")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (short, long) = (folder.appending(path: "short"), folder.appending(path: "long"))
        try write(lines / 100, to: short)
        let bytes = try write(lines, to: long)
        print("\nStreams of mixed lines: links of providers and strangers, all texts of the vectors, sound or not")
        print(
            "subject".column(32) + "lines".column(10, right: true) + "seconds".column(10, right: true)
                + "lines per s".column(13, right: true) + "peak MiB".column(10, right: true))
        let count = try row("wc -l", URL(filePath: "/usr/bin/wc"), ["-l"], long, lines)
        _ = try row("inspect --json -", program, ["inspect", "--json", "-"], short, lines / 100)
        let inspect = try row("inspect --json -", program, ["inspect", "--json", "-"], long, lines)
        let own = try scan(long)
        print(
            "URLComponents(string:) on each".column(32) + "\(lines)".column(10, right: true)
                + own.text(2).column(10, right: true))
        print(
            "\(bytes >> 20) MiB; inspecting a line takes \((inspect / own).text()) times as long as URLComponents takes to "
                + "parse it, \((inspect / count).text(0)) times as long as wc takes to count it")
    }

    /// Runs a program on `file` and returns its seconds. The peak is that of the largest program so far.
    private static func row(
        _ name: String, _ program: URL, _ arguments: [String], _ file: URL, _ lines: Int
    ) throws -> Double {
        let input = try FileHandle(forReadingFrom: file)
        defer { try? input.close() }
        let start = ContinuousClock.now
        try ChildProcess(program.path, arguments, input: input.fileDescriptor).wait()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        var usage = rusage()
        // RUSAGE_CHILDREN, which C libraries give different types.
        getrusage(-1, &usage)
        #if canImport(Darwin)
            let peak = Double(usage.ru_maxrss) / 1024
        #else
            let peak = Double(usage.ru_maxrss)
        #endif
        print(
            name.column(32) + "\(lines)".column(10, right: true) + seconds.text(2).column(10, right: true)
                + (Double(lines) / seconds).text(0).column(13, right: true)
                + (peak / 1024).text().column(10, right: true))
        return seconds
    }

    /// Reads `file` line by line and has Foundation parse each.
    private static func scan(_ file: URL) throws -> Double {
        let start = ContinuousClock.now
        let data = try Data(contentsOf: file, options: .mappedIfSafe)
        for line in data.split(separator: UInt8(ascii: "\n")) {
            blackHole(URLComponents(string: String(decoding: line, as: UTF8.self)))
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Writes `count` lines, JSON strings for texts with line breaks, and returns their size in bytes.
    @discardableResult
    private static func write(_ count: Int, to file: URL) throws -> Int {
        let texts = Links.mixed + (try Vectors.texts().flatMap { $0.valid + $0.invalid })
        let lines = texts.map { text in
            Array((text.utf8.contains { $0 < 0x20 } ? JSONValue.string(text).text : text).utf8) + [UInt8(ascii: "\n")]
        }
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var total = 0
        var buffer: [UInt8] = []
        for index in 0..<count {
            buffer += lines[index % lines.count]
            guard buffer.count > 1 << 20 || index == count - 1 else { continue }
            try handle.write(contentsOf: buffer)
            total += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
        return total
    }
}
