import ChildProcesses
import Foundation
import PaykitKit
import PaymentCore
import TestSupport
import Testing

@testable import PaykitProvider

/// The same net with an independent implementation: libtorrent, several nodes on loopback.
@Suite(
    "Among libtorrent's nodes",
    .enabled(if: Libtorrent.isInstalled, "needs Debian's python3-libtorrent; run `make dht-test`"))
struct LibtorrentTests {
    private let ours = Owner(0x42)
    private let theirs = Owner(0x11)

    @Test(
        "They store what we publish, we read what they store, and both check signature and number",
        .timeLimit(.minutes(3)))
    func interoperable() async throws { try await withOwnThreads { try await exchangesItems() } }

    private func exchangesItems() async throws {
        let item = try ours.item(1_767_225_600_000_000, try Packets.user.item.value)
        let program = try Program(
            [
                Libtorrent.script, "8", Hex.encode(theirs.seed.reveal()), Hex.encode(theirs.key), "00ff80c3", "3",
                Hex.encode(ours.key), "\(item.sequence)",
            ], executable: Libtorrent.python)
        defer { program.signal(15) }
        var lines = program.lines.makeAsyncIterator()
        var told: [String: JSONValue] = [:]
        /// Reads lines up to one with `name`.
        func wait(for name: String) async throws -> JSONValue {
            while told[name] == nil {
                guard let line = await lines.next() else { throw Libtorrent.Ended(waitingFor: name) }
                let json = try JSONValue(parsing: Array(line.utf8))
                for name in ["ports", "put", "got"] where json[name] != nil { told[name] = json }
            }
            return try #require(told[name])
        }
        func number(_ json: JSONValue, _ name: String) throws -> Int64 {
            try #require(json[name]?.number.flatMap { Int64("\($0)") })
        }

        let ports = (try await wait(for: "ports")["ports"]?.array ?? []).compactMap { port in
            port.number.flatMap { UInt16("\($0)") }
        }
        #expect(ports.count == 8)
        let resolver = DHTResolver(
            .local(ports.prefix(2).map { .loopback(port: $0) }), transport: UDPTransport(), clock: SystemPaymentClock(),
            random: SystemRandomSource())

        // We store, they find.
        let report = try await resolver.publish(item)
        #expect(report.stored >= 4, "\(report)")
        let got = try await wait(for: "got")
        #expect(got["got"]?.string == Hex.encode(item.value))
        #expect(try number(got, "seq") == item.sequence)
        #expect(got["signature"]?.string == Hex.encode(item.signature))

        // They store, we find.
        let put = try await wait(for: "put")
        let search = try await resolver.resolve(theirs.key)
        let found = try #require(search.item)
        #expect(found.value == [0x00, 0xFF, 0x80, 0xC3])
        #expect(found.sequence == (try number(put, "seq")) && found.sequence == 3)
        #expect(Hex.encode(found.signature) == put["signature"]?.string)
        #expect(search.lied == 0 && search.answered >= 4)
        // The same seed makes the same item.
        #expect(found == (try theirs.item(3, [0x00, 0xFF, 0x80, 0xC3])))

        // They omit items that are not newer, refuse older ones, and compare on request.
        #expect(try await resolver.resolve(theirs.key, newerThan: 3).item == nil)
        await #expect(throws: DHTError.outdated(by: found)) { try await resolver.publish(try theirs.item(2, "older")) }
        await #expect(throws: DHTError.mismatch(found)) {
            try await resolver.publish(try theirs.item(9, "x"), replacing: 2)
        }
        let next = try theirs.item(4, "newer")
        #expect(try await resolver.publish(next, replacing: 3).stored >= 4)
        #expect(try await resolver.resolve(theirs.key).item == next)
    }
}

/// The location of libtorrent.
private enum Libtorrent {
    struct Ended: Error {
        let waitingFor: String
    }

    /// Debian's Python: other installations do not see its packages.
    static let python = URL(filePath: "/usr/bin/python3")
    static let script = Vectors.root.appending(path: "Plugins/Paykit/Tests/libtorrent-swarm.py").path

    static let isInstalled = (try? ChildProcess.run(python.path, ["-c", "import libtorrent"]))?.code == 0
}
