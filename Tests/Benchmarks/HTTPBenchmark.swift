import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import TestSupport

/// Requests a second over loopback: this package's transport beside one `URLSession`, against the same server in
/// another process.
enum HTTPBenchmark {
    private static let concurrencies = [1, 16, 64, 256]
    private static let rounds = 5
    private static let seconds = 1.0

    /// Serves until standard input ends, which it does with the measuring process.
    static func serve() throws {
        let server = try LoopbackServer(Answering())
        FileHandle.standardOutput.write(Data("\(server.baseURL.text)\n".utf8))
        while readLine() != nil {}
        server.stop()
    }

    static func run() async throws {
        let server = try OwnServer("serve")
        defer { server.stop() }
        let announced = String(decoding: server.output.availableData, as: UTF8.self)
        let base = try HTTPURL(announced.trimmingCharacters(in: .whitespacesAndNewlines))
        let request = HTTPRequest(
            .post, try base.appending(["v1", "gateway", "payment", "pay_1", "options"]),
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"accounts":["eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"]}"#.utf8),
            replay: .safe)

        let transports: [(name: String, transport: any HTTPTransport)] = platformTransports()
        print()
        print(
            "HTTP over loopback, server in another process, median of \(rounds) interleaved rounds of \(seconds.text(0)) s"
        )
        print(
            "concurrent".column(12) + transports.map { $0.name.column(22, right: true) }.joined()
                + "ratio".column(10, right: true))
        for concurrency in concurrencies {
            var samples = transports.map { _ in [Double]() }
            for _ in 0..<rounds {
                for (index, subject) in transports.enumerated() {
                    samples[index].append(try await rate(subject.transport, request, concurrency))
                }
            }
            let medians = samples.map(Measure.median)
            print(
                "\(concurrency)".column(12)
                    + medians.map { "\($0.text(0)) /s".column(22, right: true) }.joined()
                    + "\((medians[0] / medians[medians.count - 1]).text(1))x".column(10, right: true))
        }
    }

    private static func platformTransports() -> [(name: String, transport: any HTTPTransport)] {
        #if os(Linux)
            [("CurlTransport", CurlTransport()), ("URLSessionTransport", URLSessionTransport())]
        #else
            [("URLSessionTransport", URLSessionTransport())]
        #endif
    }

    /// Answers per second, with `concurrency` requests in flight at any time.
    private static func rate(_ transport: any HTTPTransport, _ request: HTTPRequest, _ concurrency: Int) async throws
        -> Double
    {
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var answered = 0
                    while ContinuousClock.now < end {
                        guard try await transport.send(request).status == 200 else { throw WrongAnswer() }
                        answered += 1
                    }
                    return answered
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(answered) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private struct WrongAnswer: Error {}

    /// Answers everything with the same small JSON.
    private struct Answering: SandboxService {
        private let body = Array(#"{"paymentId":"pay_1","status":"requires_action","options":[],"pollInMs":1000}"#.utf8)

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
        }
    }
}
