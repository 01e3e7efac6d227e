import ChildProcesses
import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import Synchronization
import TestSupport

/// Paykit's lookup of a thousand people in one batch, over loopback: its time and memory, compared with asking all of
/// them at once. The network and each batch have separate processes.
enum DiscoveryBenchmark {
    private static let people = 1000
    private static let usualWidth = 8

    static func run() async throws {
        let server = try OwnServer("serve-people")
        defer { server.stop() }
        var announced = Data()
        while announced.count(where: { $0 == UInt8(ascii: "\n") }) <= people {
            let more = server.output.availableData
            guard !more.isEmpty else { throw Ended() }
            announced += more
        }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try announced.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        print(
            "\nA batch of discovery over loopback, the network in another process; each person publishes two endpoints")
        print(
            "people".column(10) + "at a time".column(12, right: true) + "seconds".column(10, right: true)
                + "people per s".column(14, right: true) + "peak MiB".column(10, right: true)
                + "told".column(8, right: true))
        let one = try row(1, usualWidth, file)
        _ = try row(people / 10, usualWidth, file)
        let usual = try row(people, usualWidth, file)
        let all = try row(people, people, file)
        print(
            "\(people) people, \(usualWidth) at a time, take \((usual - one).text()) MiB more than one of them, "
                + "\(((usual - one) * 1024 / Double(people)).text()) KiB each; all at once takes "
                + "\(((all - one) / max(usual - one, 0.1)).text()) times as much")
    }

    private struct Ended: Error {}

    /// Looks up the first `count` people in a separate process, and returns its peak in MiB.
    private static func row(_ count: Int, _ width: Int, _ file: URL) throws -> Double {
        let discovery = try ChildProcess.run(
            CommandLine.arguments[0], ["discover", "\(count)", "\(width)", file.path], errors: 2)
        let words = String(decoding: discovery.output, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard words.count == 4, Int(words[0]) == count else { throw Ended() }
        let (seconds, peak, told) = (words[1], words[2], words[3])
        print(
            "\(count)".column(10) + "\(width)".column(12, right: true) + seconds.text(2).column(10, right: true)
                + (Double(count) / seconds).text(0).column(14, right: true) + peak.text().column(10, right: true)
                + told.text(0).column(8, right: true))
        return peak
    }

    // MARK: The other processes

    /// Serves the network until standard input ends, and prints its address and the users' keys.
    static func serve() async throws {
        let sandbox = PubkySandbox(random: SeededRandomSource(seed: 1))
        var lines: [String] = []
        for _ in 0..<people { lines.append(await sandbox.createUser(.ready).key.text) }
        let server = try LoopbackServer(sandbox)
        lines.insert(server.baseURL.text, at: 0)
        FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
        while readLine() != nil {}
        server.stop()
    }

    /// Looks up people, and prints the number found, the time, the peak in MiB, and the number of progress reports.
    static func discover(_ arguments: [String]) async throws {
        guard arguments.count == 3, let count = Int(arguments[0]), let width = Int(arguments[1]) else { throw Ended() }
        let lines = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n").map(String.init)
        let network = try PubkyNetwork.sandbox(HTTPURL(lines[0]))
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(network: network), transport: PlatformTransport())
        let isWatched = isatty(2) == 1
        let start = ContinuousClock.now
        let told = Mutex(0)
        let (methods, errors) = await client.discoverBatch(pubkeys: Array(lines[1...count]), width: width) { done in
            told.withLock { $0 += 1 }
            if isWatched, done % 50 == 0 || done == count {
                let end = done == count ? "\r\u{1B}[K" : ""
                FileHandle.standardError.write(Data("\r\(done) of \(count)\(end)".utf8))
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard errors.isEmpty, methods.values.allSatisfy({ $0["lightning"] != nil && $0["onchain"] != nil }) else {
            throw Ended()
        }
        var usage = rusage()
        // RUSAGE_SELF, which C libraries give different types.
        getrusage(0, &usage)
        #if canImport(Darwin)
            let peak = Double(usage.ru_maxrss) / 1024
        #else
            let peak = Double(usage.ru_maxrss)
        #endif
        print("\(methods.count) \(seconds) \(peak / 1024) \(told.withLock { $0 })")
    }
}
