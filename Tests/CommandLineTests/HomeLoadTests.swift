import CitconSandbox
import Foundation
import PaymentCore
import PayrailsSandbox
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The sandbox as a process, with more of everything than any user has: run with the browser's tests, because it takes
/// long.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["PAYROUTE_BROWSER_TESTS"] != nil, "takes long; run `make browser-test`")
)
struct HomeLoadTests {
    @Test("A thousand open ledgers and five thousand payments: it answers, and stays below 200 MB")
    func load() async throws {
        let folder = ScratchFolder()
        let file = folder.path + "/ready.json"
        let program = try Program(["sandbox", "--port", "0", "--ready-file", file])
        for await line in program.lines where line == "Ctrl-C stops it." { break }
        let ready = try await Program.ready(in: file)
        let base = try HTTPURL(try #require(ready["url"]?.string))
        let client = RawClient(base)
        #expect(await Self.make(5000, client) == 5000)
        let stream = "GET /_sandbox/events HTTP/1.1\r\nHost: self\r\n\r\n"
        try await client.withConnections(1000, stream) { connections in
            #expect(await connections.waitFor("retry:") == 1000)
            #expect(await Self.make(20, client) == 20)
            #expect(await connections.waitFor("created") == 1000)
            // Answered while they all listen, and not after them.
            let clock = ContinuousClock()
            let start = clock.now
            let page = await client.exchange(["GET /ledger HTTP/1.1\r\nHost: self\r\n\r\n"]).first
            #expect(page?.status == 200 && (page?.body.count ?? .max) < 100_000)
            #expect(clock.now - start < .seconds(5))
            #if os(Linux)
                let status = try String(contentsOfFile: "/proc/\(ready["pid"]?.int64 ?? 0)/status", encoding: .utf8)
                let memory = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/)).output.1
                #expect(try #require(Int(memory)) < 200_000, "\(memory) kB")
            #endif
        }
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    /// Creates payments as test suites do.
    ///
    /// - Returns: the number of created payments.
    private static func make(_ count: Int, _ client: RawClient) async -> Int {
        let body = #"{"service":"walletconnect-pay","scenario":"paid-at-once"}"#
        let request =
            "POST /_sandbox/payments HTTP/1.1\r\nHost: self\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return await client.exchange(Array(repeating: request, count: count)).count { $0.status == 201 }
    }
}
