import PaymentCore
import PaymentCrypto
import SandboxSupport

/// Notifying merchants of the status of charges and refunds.
extension CitconSandbox {
    /// Returns once no delivery is in progress: each is accepted or abandoned.
    public func finishDeliveries() async {
        while let delivery = deliveries.values.first { await delivery.value }
    }

    /// Returns the status term of notifications for a charge's state; nil for states without a notification.
    private static func word(_ status: CitconCharge.Status, wasAuthorized: Bool) -> String? {
        switch status {
        case .initiated, .pending: nil
        case .authorized: "authorized"
        case .succeeded: wasAuthorized ? "captured" : "success"
        case .canceled: "cancelled"
        case .failed, .expired: "fail"
        }
    }

    func notify(about charge: CitconCharge, wasAuthorized: Bool) {
        guard let word = Self.word(charge.status, wasAuthorized: wasAuthorized) else { return }
        notify(
            charge, id: charge.id, type: "charge", reference: charge.reference, amount: charge.amount, status: word,
            created: charge.createdAt)
    }

    func notify(about refund: CitconCharge.Movement, of charge: CitconCharge) {
        guard let charge = charges[charge.token] else { return }
        notify(
            charge, id: refund.id, type: "refund", reference: refund.reference, amount: refund.amount,
            status: "success", created: refund.time)
    }

    /// A stage of a payer's dispute, by the terms of notifications.
    @nonexhaustive
    public enum DisputeStage: String, Sendable, Hashable, CaseIterable {
        /// The payer disputes it.
        case claimed = "Notification of Claim"
        /// The merchant has been asked about it.
        case asked = "Request For Information"
        /// The merchant has answered.
        case answered = "Information Supplied"
        /// The payer won the dispute and is repaid.
        case lost = "Lost"
        /// The merchant won the dispute and keeps the money.
        case won = "Won"
        /// The case is closed.
        case closed = "Case Closed"
    }

    /// Makes the payer's bank dispute a paid charge, or advance the dispute. Does nothing for other charges.
    ///
    /// - Parameters:
    ///   - id: the service's id of the charge.
    ///   - stage: the new stage of the dispute.
    public func dispute(charge id: String, _ stage: DisputeStage) {
        guard let token = tokensByID[id], let charge = charges[token], charge.status == .succeeded else { return }
        let dispute = CitconCharge.Dispute(
            id: charge.dispute?.id ?? ids.transaction(), stage: stage, time: charge.dispute?.time ?? now)
        charges[token]?.dispute = dispute
        notify(
            charge, id: dispute.id, type: "chargeback", reference: charge.reference, amount: charge.amountCaptured,
            status: stage.rawValue, created: dispute.time)
    }

    /// Notifies that an account was stored. Only the existence of this notification is documented. The rest is by
    /// analogy.
    func notify(about stored: CitconStored, of charge: CitconCharge) {
        notify(
            charge, id: stored.id, type: "vault", reference: stored.consumer, amount: nil, status: "success",
            created: stored.createdAt)
    }

    private func notify(
        _ charge: CitconCharge, id: String, type: String, reference: String, amount: Int64?, status: String,
        created: Int64
    ) {
        guard let url = charge.urls.ipn else { return }
        func text(_ name: String, _ text: String) -> (String, WireJSON, String) { (name, .text(text), text) }
        func number(_ name: String, _ number: Int64) -> (String, WireJSON, String) {
            (name, .number(number), String(number))
        }
        let captured = charge.amountCaptured
        let refunded = charge.amountRefunded
        let body = CitconNotificationBody([
            text("id", id), text("transaction_type", type), text("reference", reference),
            amount.map { number("amount", $0) } ?? text("amount", ""), text("currency", charge.currency),
            text("status", status), text("time_completed", Self.time(now)),
            text("time_created", Self.time(created)), text("payment_method", charge.method ?? ""),
            captured > 0 ? number("amount_captured", captured) : text("amount_captured", ""),
            refunded > 0 ? number("amount_refunded", refunded) : text("amount_refunded", ""),
        ])
        notifications.append(
            Notification(
                url: url, charge: charge.id, status: status,
                body: body.bytes(secret: configuration.privateKey.reveal())))
        guard let transport = configuration.notifications else { return }
        let index = notifications.count - 1
        deliveries[index] = Task {
            await self.deliver(index, over: transport)
            self.deliveries[index] = nil
        }
    }

    /// Sends a notification until it is accepted or the attempts are used up.
    private func deliver(_ index: Int, over transport: any HTTPTransport) async {
        guard let url = try? HTTPURL(notifications[index].url) else { return }
        await clock.deliver(repeatingAfter: configuration.notificationPauses) {
            await send(index, to: url, over: transport)
        }
    }

    /// Sends a notification once.
    ///
    /// - Returns: true if it was accepted.
    @discardableResult func send(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async -> Bool {
        let request = HTTPRequest(
            .post, url, headers: ["Content-Type": "application/json"], body: notifications[index].body)
        notifications[index].attempts += 1
        guard let answer = try? await transport.send(request), (200..<300).contains(answer.status) else { return false }
        notifications[index].isDelivered = true
        return true
    }

    /// Returns ISO 8601 with milliseconds, as in the vendor's example.
    private static func time(_ seconds: Int64) -> String {
        "\(RFC3339(seconds: seconds).text.dropLast()).000Z"
    }
}

// MARK: - Bodies

extension CitconSandbox {
    /// A notification (IPN) about a charge or a refund.
    public struct Notification: Sendable, Hashable {
        /// The address of its receiver.
        public let url: String
        /// The id of the charge that it is about.
        public let charge: String
        /// The status, in the terms of notifications.
        public let status: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        /// The number of times it was sent.
        public internal(set) var attempts = 0
        /// True if the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}

/// The body of a notification.
struct CitconNotificationBody {
    /// The signed members, in the order of the body. An empty text stands for an absent value.
    private let values: [(String, WireJSON, String)]

    init(_ values: [(name: String, value: WireJSON, signed: String)]) {
        self.values = values.map { ($0.name, $0.value, $0.signed) }
    }

    /// The JSON, signed with `secret`.
    func bytes(secret: String) -> [UInt8] {
        let names = values.map(\.0).joined(separator: ",")
        let signed = (values.map { ($0.0, $0.2) } + [("fields", names)])
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0)=\($1)" }
        let text = signed.joined(separator: "&") + "&secret=" + secret
        let signature = Hex.encode(Digest.sha256.hash(Array(text.utf8)))
        return WireJSON.object(
            values.map { ($0.0, $0.1) } + [("fields", .text(names)), ("sign", .text(signature))]
        ).bytes
    }
}
