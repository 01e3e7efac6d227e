import Foundation
import PaymentCore
import PaymentCrypto

/// Sends one tenant's webhooks: signed as Standard Webhooks describes, in their order where nothing fails, and again
/// until they are taken. Each is stored with what it states, so that a crash loses none; one may come twice, with the
/// same id.
actor WebhookSender {
    /// The pauses after the first failures; the last one repeats.
    static let pauses: [Duration] = [5, 30, 120, 600, 1800, 3600, 7200, 14_400].map { .seconds($0) }
    /// The time after which a webhook is no longer sent.
    static let lifetime: Duration = .seconds(3 * 86_400)
    private static let timeout = Duration.seconds(10)

    private let tenant: String
    private let target: WebhookTargets.Target
    private let table: ServeTable
    private let transport: any HTTPTransport
    private let metrics: ServeMetrics
    private let clock: any PaymentClock
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private var work: Task<Void, Never>?
    private var timer: Task<Void, Never>?
    private(set) var isEnding = false

    init(
        _ tenant: String, _ target: WebhookTargets.Target, _ table: ServeTable, transport: any HTTPTransport,
        metrics: ServeMetrics, clock: any PaymentClock
    ) {
        (self.tenant, self.target, self.table) = (tenant, target, table)
        (self.transport, self.metrics, self.clock) = (transport, metrics, clock)
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Begins with what was left.
    func start() {
        signal.yield()
        work = Task { await run() }
    }

    /// Notes that there is something to send.
    nonisolated func wake() { signal.yield() }

    /// Sends what is due, up to the first failure, and ends. The rest stays stored.
    func stop() async {
        isEnding = true
        signal.yield()
        signal.finish()
        await work?.value
        timer?.cancel()
    }

    private func run() async {
        for await _ in signals {
            timer?.cancel()
            let pause: Duration?
            // What cannot be read now is read again later.
            do { pause = try await sendAll() } catch is EndingError { return } catch { pause = Self.pauses[0] }
            guard let pause, !isEnding else { continue }
            timer = Task { [signal, clock] in
                try? await clock.sleep(for: pause)
                if !Task.isCancelled { signal.yield() }
            }
        }
    }

    /// A failure after which an ending sender tries nothing else.
    private struct EndingError: Error {}

    /// Sends all that are due.
    ///
    /// - Returns: The time until the next one is due; nil when none is left.
    private func sendAll() async throws -> Duration? {
        while let webhook = try await table.nextWebhook(of: tenant) {
            let wait = webhook.due.timeIntervalSince(clock.now)
            // No pause is longer: a clock was set back.
            if wait > 0, .seconds(wait) <= Self.pauses.last ?? .zero { return .seconds(wait) }
            let isTaken = await send(webhook)
            metrics.webhook(isTaken ? "taken" : "failed")
            let pause = Self.pauses[min(webhook.attempts, Self.pauses.count - 1)]
            let next = clock.now.addingTimeInterval(pause / .seconds(1))
            if isTaken {
                try await table.forget(webhook)
            } else if next.timeIntervalSince(webhook.created) > Self.lifetime / .seconds(1) {
                metrics.webhook("abandoned")
                try await table.forget(webhook)
            } else {
                try await table.postpone(webhook, until: next)
            }
            if isEnding, !isTaken { throw EndingError() }
        }
        return nil
    }

    /// The signature of Standard Webhooks, version 1, over id, time and body.
    static func signature(of body: String, _ id: String, at time: String, key: [UInt8]) -> String {
        "v1," + Data(Digest.sha256.authenticate(Array("\(id).\(time).\(body)".utf8), key: key)).base64EncodedString()
    }

    private func send(_ webhook: StoredWebhook) async -> Bool {
        let time = String(Int64(clock.now.timeIntervalSince1970))
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "webhook-id": webhook.id, "webhook-timestamp": time,
            "webhook-signature": Self.signature(of: webhook.body, webhook.id, at: time, key: target.key.reveal()),
        ]
        let request = HTTPRequest(
            .post, target.url, headers: headers, body: Array(webhook.body.utf8), timeout: Self.timeout,
            responseLimit: 1 << 16)
        guard let answer = try? await transport.send(request) else { return false }
        return 200..<300 ~= answer.status
    }
}

/// A webhook that was not taken yet.
struct StoredWebhook: Sendable {
    let number: Int64
    /// The same for every attempt to send it.
    let id: String
    let body: String
    let created: Date
    let due: Date
    /// The attempts that failed.
    let attempts: Int
}
