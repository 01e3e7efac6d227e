import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import SandboxSupport

/// A sender of one tenant's webhooks. They are signed as Standard Webhooks describes, sent in their order if nothing
/// fails, and sent again until they are taken. Each is stored together with the change that it states, so a crash loses
/// none. A webhook may arrive twice, with the same id.
actor WebhookSender {
    /// The pauses after the first failures. The last one repeats.
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

    /// Begins with the webhooks that were left.
    func start() {
        signal.yield()
        work = Task { await run() }
    }

    /// Notes that there is something to send.
    nonisolated func wake() { signal.yield() }

    /// Sends the webhooks that are due, up to the first failure, and ends. The rest stays stored.
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
            // Webhooks that cannot be read now are read again later.
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
    /// - Returns: The time until the next one is due, or nil if none is left.
    private func sendAll() async throws -> Duration? {
        while let webhook = try await table.nextWebhook(of: tenant) {
            let wait = webhook.due.timeIntervalSince(clock.now)
            // No pause is longer: a clock was set back.
            if wait > 0, .seconds(wait) <= Self.pauses.last ?? .zero { return .seconds(wait) }
            // One that cannot be noted as taken would be sent again and again.
            try await table.renew()
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

/// A webhook that was not taken yet. It lies in the room of the payment that it is about.
struct StoredWebhook: Sendable, Codable {
    private static let prefix = "webhook/"

    let payment: String
    let tenant: String
    /// The same for every attempt to send it.
    let id: String
    let body: String
    let created: Date
    var due: Date
    /// The attempts that failed.
    var attempts: Int

    /// Creates the webhook of a payment as it is now.
    init(_ id: String, of payment: ServedPayment, at now: Date) {
        let state: ServedPayment.State = payment.hasEnded ? .ended : .interrupted
        let body: JSONValue = [
            "type": .string("payment.\(state.rawValue)"), "timestamp": .string(AttemptSummary.text(now)),
            "data": payment.json(state, action: nil),
        ]
        (self.payment, tenant, self.id, self.body) = (payment.id, payment.tenant, id, body.text)
        (created, due, attempts) = (now, now, 0)
    }

    var record: RecordKey { RecordKey(ServedPayment.kind, room: payment, name: Self.prefix + id) }

    /// Returns true if a key in a payment's room is that of a webhook.
    static func has(_ key: RecordKey) -> Bool { key.name.hasPrefix(prefix) }

    /// Returns the mark of a tenant's webhooks that are due at a time: before all other times if it is nil.
    static func mark(_ tenant: String, _ due: Date?) -> RecordMark {
        RecordMark("\(ServedPayment.mark(of: tenant).text) \(due.map { RecordMark($0).text } ?? "")")
    }

    /// Returns the write that stores the webhook.
    func write() throws -> RecordWrite {
        .put(record, try .json(self), marks: ["due": Self.mark(tenant, due)])
    }
}

// MARK: - Addresses

/// The addresses that `payroute serve` sends tenants' webhooks to.
struct WebhookTargets: Sendable {
    /// One tenant's address.
    struct Target: Sendable {
        let url: HTTPURL
        /// The key of the signatures.
        let key: Redacted<[UInt8]>
    }

    /// By tenant.
    let targets: [String: Target]

    /// Reads a file of addresses: on each line a tenant's name, the address, and the secret: `whsec_` and base64, as in
    /// Standard Webhooks.
    ///
    /// - Parameter tenants: The known tenants.
    init(_ file: OwnersFile, tenants: Set<String>) throws(CommandError) {
        var targets: [String: Target] = [:]
        for (number, words) in file.lines {
            guard words.count == 3, let url = try? HTTPURL(words[1]), let key = Self.key(words[2]) else {
                throw CommandError(
                    description:
                        "line \(number) of \(file.name) is no webhook: give a tenant, an address, and a secret: whsec_ "
                        + "and the base64 of 24 to 64 bytes")
            }
            guard url.isConfidential else {
                throw CommandError(
                    description: "line \(number) of \(file.name): give an address that begins with https://")
            }
            guard tenants.contains(words[0]) else {
                let name = Printable.short(words[0], 40)
                throw CommandError(description: "line \(number) of \(file.name): no token is the tenant '\(name)''s")
            }
            guard targets.updateValue(Target(url: url, key: Redacted(key)), forKey: words[0]) == nil else {
                throw CommandError(description: "line \(number) of \(file.name) repeats a tenant; each has one address")
            }
        }
        self.targets = targets
    }

    private static func key(_ secret: String) -> [UInt8]? {
        guard secret.hasPrefix("whsec_"), let data = Data(base64Encoded: String(secret.dropFirst(6))),
            24...64 ~= data.count
        else { return nil }
        return Array(data)
    }
}

// MARK: - Stored webhooks

/// Webhooks that were not taken yet, in the store of the payments that they are about. Each is stored by the change that
/// it states.
extension ServeTable {
    /// Returns the webhook of a tenant that is due first, or nil if none is left.
    func nextWebhook(of tenant: String) async throws -> StoredWebhook? {
        let query = RecordQuery(
            ServedPayment.kind, by: "due", from: StoredWebhook.mark(tenant, nil),
            through: StoredWebhook.mark(tenant, .distantFuture), limit: 1)
        return try await records.records(query).first?.json(in: file)
    }

    /// Removes a webhook that was taken, or is not sent any more.
    func forget(_ webhook: StoredWebhook) async throws {
        try await change([.record(webhook.record)]) { _ in RecordChange([.remove(webhook.record)], ()) }
    }

    /// Notes a failure to send a webhook.
    func postpone(_ webhook: StoredWebhook, until due: Date) async throws {
        var later = webhook
        (later.due, later.attempts) = (due, webhook.attempts + 1)
        let write = try later.write()
        try await change([.record(webhook.record)]) { RecordChange($0[0].isEmpty ? [] : [write], ()) }
    }
}
