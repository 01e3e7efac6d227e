import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import PaymentWallet
import TestSupport
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// The cost of durability: appends, recovery's scan, bytes, and its share of one payment.
enum JournalBenchmark {
    private static let appends = 2_000
    private static let attempts = 100_000
    private static let payments = 100

    static func run() async throws {
        let folder = NSTemporaryDirectory() + "/payroute-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        print()
        print("Journal, SQLite, write-ahead log, synchronous = FULL, in \(NSTemporaryDirectory())")
        try await measureAppends(folder + "/appends")
        try await measureConcurrency(folder + "/concurrent")
        try await measureScan(folder + "/scan")
        try await measurePayments(folder + "/payments")
    }

    private static func attempt(_ index: Int) throws -> PaymentAttempt {
        let option = PaymentMethodOption(
            id: "opt_1", title: "USDC on Base", amount: try Money(minorUnits: 1_250_000, currency: .eur),
            account: try AccountID("eip155:8453:0xab16a96D359eC26a11e2C2b3d8f8B8942d5Bfcdb"),
            needs: [.signing(method: "eth_signTypedData_v4")])
        return PaymentAttempt(
            id: AttemptID(rawValue: "att_\(index)"),
            reference: PaymentReference(provider: "walletconnect-pay", id: "pay_\(index)"), option: option,
            idempotencyKey: "7b0f2c1e-6a52-4c55-9a54-0d7a2b9c\(index)", startedAt: Date(timeIntervalSince1970: 1.8e9),
            expiresAt: nil)
    }

    private static func lease(_ index: Int) -> PaymentLease {
        PaymentLease(
            payment: PaymentReference(provider: "walletconnect-pay", id: "pay_\(index)"), holder: "bench",
            duration: .seconds(600))
    }

    private static func entry(_ event: JournalEntry.Event) -> JournalEntry {
        JournalEntry(date: Date(timeIntervalSince1970: 1.8e9), event: event)
    }

    private static func measureAppends(_ path: String) async throws {
        let journal = try SQLiteJournal(path: path)
        _ = try await journal.acquire(lease(0), at: Date(timeIntervalSince1970: 1.8e9))
        let attempt = try attempt(0)
        try await journal.open(attempt, under: lease(0))
        // Entries before the first mutation need not be on the disk at once; later ones must.
        try await measureAppends("append before a mutation", journal, attempt.id)
        let start = JournalEntry.Event.stepStarted(name: "confirm", kind: .mutation(replay: .never))
        try await journal.append(entry(start), to: attempt.id, under: lease(0))
        try await measureAppends("durable append", journal, attempt.id)
    }

    private static func measureAppends(_ name: String, _ journal: SQLiteJournal, _ attempt: AttemptID) async throws {
        let result = JSONValue.string(String(repeating: "x", count: 300))
        var times: [Double] = []
        for _ in 0..<appends {
            let start = ContinuousClock.now
            try await journal.append(
                entry(.stepFinished(name: "step", result: result)), to: attempt, under: lease(0))
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        times.sort()
        let total = times.reduce(0, +) / 1000
        print(
            "\(name), 300 bytes".column(36)
                + "\((Double(appends) / total).text(0)) /s, p50 \(times[appends / 2].text(3)) ms, "
                + "p99 \(times[appends * 99 / 100].text(3)) ms")
    }

    /// The writes of payments, by the number of concurrent ones.
    private static func measureConcurrency(_ path: String) async throws {
        let journal = try SQLiteJournal(path: path)
        let events =
            fetching + [
                .stepStarted(name: "sign", kind: .interaction), .stepFinished(name: "sign", result: "0x1"), begun,
                .stepFinished(name: "confirm", result: true),
                .outcome(.succeeded(PaymentReceipt(reference: try attempt(0).reference))),
            ]
        var rates: [Double] = []
        for (round, width) in [1, 8, 64].enumerated() {
            let count = 512
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    if index >= width { try await group.next() }
                    group.addTask { try await write(1 + round * count + index, events, to: journal) }
                }
                try await group.waitForAll()
            }
            rates.append(Double(count) / ((ContinuousClock.now - start) / .seconds(1)))
        }
        print(
            "payments written at a time".column(36)
                + "1: \(rates[0].text(0)) /s, 8: \((rates[1] / rates[0]).text(2)) times as many, "
                + "64: \((rates[2] / rates[0]).text(2)) times")
    }

    /// Writes a payment with these events.
    private static func write(_ index: Int, _ events: [JournalEntry.Event], to journal: SQLiteJournal) async throws {
        let (attempt, lease) = (try attempt(index), lease(index))
        _ = try await journal.acquire(lease, at: attempt.startedAt)
        try await journal.open(attempt, under: lease)
        for event in events { try await journal.append(entry(event), to: attempt.id, under: lease) }
        try await journal.release(lease)
    }

    private static let fetching: [JournalEntry.Event] = [
        .stepStarted(name: "fetch", kind: .query), .stepFinished(name: "fetch", result: true),
    ]
    private static let begun = JournalEntry.Event.stepStarted(name: "confirm", kind: .mutation(replay: .never))

    private static func measureScan(_ path: String) async throws {
        let journal = try SQLiteJournal(path: path)
        for first in stride(from: 0, to: attempts, by: 64) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in first..<min(first + 64, attempts) {
                    group.addTask { try await write(index, fetching + [begun], to: journal) }
                }
                try await group.waitForAll()
            }
        }
        let start = ContinuousClock.now
        let found = try await journal.unfinished().count
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let opening = ContinuousClock.now
        _ = try SQLiteJournal(path: path)
        let opened = (ContinuousClock.now - opening) / .seconds(1)
        print(
            "recovery scan".column(36) + "\(found) unfinished attempts with 3 entries each in \(seconds.text(2)) s; "
                + "opening and checking that file \(opened.text(2)) s")
    }

    private static func measurePayments(_ path: String) async throws {
        try await pay(path)
        // Closed: the log has been moved into the file.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("journal, closed".column(36) + "\((Double(size) / Double(payments) / 1024).text(2)) KiB per payment")
    }

    private static func pay(_ path: String) async throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        let sandbox = WalletConnectPaySandbox(configuration)
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")), baseURL: server.baseURL.text)
        let registry = try ProviderRegistry([WalletConnectPayProvider(configuration: gateway)])
        let durable = try SQLiteJournal(path: path)
        let routers = [InMemoryJournal(), durable].map { (journal: any PaymentJournal) in
            PaymentRouter(registry: registry, transport: StandardTransport(), journal: journal)
        }
        let payer = DevelopmentWallet(seed: 1).payer(policy: .firstWhateverItCosts)
        var times: [[Double]] = [[], []]
        for round in 0..<payments * 2 {
            let payment = await sandbox.createPayment(.paidAtOnce)
            let start = ContinuousClock.now
            guard case .succeeded = try await routers[round % 2].pay(payment.link, as: payer) else {
                throw WrongOutcome()
            }
            times[round % 2].append((ContinuousClock.now - start) / .milliseconds(1))
        }
        let (memory, file) = (Measure.median(times[0]), Measure.median(times[1]))
        print(
            "one loopback payment, median".column(36)
                + "\(memory.text(2)) ms in memory, \(file.text(2)) ms durable: durability is "
                + "\((100 * (file - memory) / file).text(0)) % of it")
    }

    private struct WrongOutcome: Error {}
}
