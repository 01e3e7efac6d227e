import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop

/// Payments at a simulated shop, and how long they take.
enum Payments {
    /// The errors that end the measurement.
    enum Failure: Error {
        case notPaid(PaymentOutcome)
        case noServer(String)
    }

    static let shop = ShopService(clock: SystemPaymentClock())
    static let payer = Payer(policy: .firstWhateverItCosts)

    static func router(
        _ journal: any PaymentJournal, _ transport: any HTTPTransport = DirectTransport(service: shop)
    ) throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([ShopProvider(clock: SystemPaymentClock())]), transport: transport,
            journal: journal)
    }

    /// Pays by routers over these journals at the same time, four payments each.
    ///
    /// - Returns: the rate, and the times of one payment.
    static func pay(_ name: String, _ journals: [any PaymentJournal], each count: Int = 300) async throws -> String {
        let shares = journals.indices.map { worker in (0..<count).map { "\(name)x\(worker)x\($0)" } }
        for id in shares.joined() { await shop.createPayment(id, .paidAtOnce, cents: 1000) }
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (journal, ids) in zip(journals, shares) {
                let router = try router(journal)
                for lane in 0..<4 {
                    group.addTask {
                        let some = stride(from: lane, to: count, by: 4).map { ids[$0] }
                        var times: [Double] = []
                        for id in some { times.append(try await pay(id, router)) }
                        return times
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let rate = Double(times.count) / ((ContinuousClock.now - start) / .seconds(1))
        let (median, late) = (times[times.count / 2], times[times.count * 99 / 100])
        return "\(Int(rate)) payments/s, median \(text(median)) ms, p99 \(text(late)) ms"
    }

    /// Pays one.
    ///
    /// - Returns: the milliseconds that it took.
    private static func pay(_ id: String, _ router: PaymentRouter) async throws -> Double {
        let start = ContinuousClock.now
        let outcome = try await router.pay(link(id), as: payer, acceptingUnverified: true)
        guard case .succeeded = outcome else { throw Failure.notPaid(outcome) }
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    /// Leaves a payment open, whose charge is lost.
    static func leaveOpen(_ id: String, _ journal: any PaymentJournal) async throws {
        await shop.createPayment(id, .paidAtOnce, cents: 1000)
        let router = try router(journal, LosingTransport(base: DirectTransport(service: shop)))
        _ = try? await router.pay(link(id), as: payer, acceptingUnverified: true)
    }

    private static func link(_ id: String) -> String { "https://\(ShopProvider.linkHost)/\(id)" }

    /// A network that loses every charge.
    private struct LosingTransport: HTTPTransport {
        let base: any HTTPTransport

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            guard request.method == .post else { return try await base.send(request) }
            throw TransportError(.maybeSent, .connectionLost("the charge is lost"), origin: "shop")
        }
    }

    // MARK: Figures

    nonisolated(nonsending) static func seconds(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Prints a line at once, also to a file.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}

/// Counts attempts that workers have settled.
actor Settled {
    private let start = ContinuousClock.now
    private var count = 0
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    /// The time until the first one.
    private(set) var first: Duration?

    func add(_ report: RecoveryReport) {
        guard report.isSettled else { return }
        if first == nil { first = .now - start }
        count += 1
        guard let waiting, count >= waiting.count else { return }
        self.waiting = nil
        waiting.continuation.resume()
    }

    func wait(for count: Int) async {
        guard self.count < count else { return }
        await withCheckedContinuation { waiting = (count, $0) }
    }
}
