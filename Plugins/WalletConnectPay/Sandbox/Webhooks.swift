public import PaymentCore
import PaymentCrypto
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WalletConnectPaySandbox {
    /// The receiver of one environment's webhooks, with the signing secrets.
    public struct WebhookEndpoint: Sendable {
        /// The names of the header fields: pages of the documentation differ.
        @nonexhaustive
        public enum Spelling: Sendable, Hashable, CaseIterable {
            /// `svix-id` and so on.
            case svix
            /// `webhook-id` and so on.
            case standard
            /// Both sets.
            case both
        }

        /// The receiver's address; if nil, webhooks are only kept, see ``WalletConnectPaySandbox/webhooks``.
        public var url: HTTPURL?
        /// The current secret and, if there is one, its predecessor: each signs.
        public var secrets = [WalletConnectPaySandbox.webhookSecret]
        /// The names of the header fields.
        public var spelling = Spelling.both
        /// The kinds of events that are sent; nil for all.
        public var kinds: Set<String>?

        /// Creates an endpoint.
        public init(url: HTTPURL? = nil) { self.url = url }
    }

    /// An event of a merchant's payment, sent or yet to be sent.
    public struct Webhook: Sendable, Hashable {
        /// The delivery's id in the header fields, the same for all attempts.
        public let deliveryID: String
        /// The service's raw value of the event.
        public let kind: String
        /// The payment's id.
        public let payment: String
        /// The body: the same bytes every time.
        public let body: [UInt8]
        let world: World
        /// The number of times it was sent.
        public internal(set) var attempts = 0
        /// True if the receiver accepted it.
        public internal(set) var isDelivered = false
    }
}

// MARK: - Delivery

/// Notifying merchants of the status of their payments.
extension WalletConnectPaySandbox {
    /// Returns once no delivery is in progress: each is accepted or abandoned.
    public func finishDeliveries() async {
        while let delivery = deliveries.values.first { await delivery.value }
    }

    /// Returns a webhook as it would arrive now: every attempt is signed with its own time.
    ///
    /// - Parameters:
    ///   - webhook: the event.
    ///   - age: the seconds since it was signed.
    public func notification(_ webhook: Webhook, age: Int64 = 0) -> IncomingNotification {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        guard let endpoint = configuration.endpoint(of: webhook.world) else {
            return IncomingNotification(headers: headers, body: webhook.body)
        }
        let time = String(now - age)
        let message = Array("\(webhook.deliveryID).\(time).".utf8) + webhook.body
        let signatures = endpoint.secrets.compactMap { secret -> String? in
            guard let key = Data(base64Encoded: String(secret.reveal().dropFirst("whsec_".utf8.count))) else {
                return nil
            }
            return "v1," + Data(Digest.sha256.authenticate(message, key: Array(key))).base64EncodedString()
        }
        let spellings: [String] =
            switch endpoint.spelling {
            case .svix: ["svix"]
            case .standard: ["webhook"]
            case .both: ["svix", "webhook"]
            }
        for spelling in spellings {
            headers["\(spelling)-id"] = webhook.deliveryID
            headers["\(spelling)-timestamp"] = time
            headers["\(spelling)-signature"] = signatures.joined(separator: " ")
        }
        return IncomingNotification(headers: headers, body: webhook.body)
    }

    /// Stores the event and sends it, if webhooks are configured.
    func notify(_ kind: String, of payment: PaymentRecord) {
        guard let endpoint = configuration.endpoint(of: payment.world), endpoint.kinds?.contains(kind) ?? true else {
            return
        }
        webhooks.append(
            Webhook(
                deliveryID: "msg_" + random.hex(24), kind: kind, payment: payment.id,
                body: WebhookBody(kind, payment, id: "evt_" + random.hex(24), at: clock.now).json.serialized(),
                world: payment.world))
        guard let url = endpoint.url, let transport = configuration.webhookTransport else { return }
        let index = webhooks.count - 1
        deliveries[index] = Task {
            await self.deliver(index, to: url, over: transport)
            self.deliveries[index] = nil
        }
    }

    /// Sends a webhook until it is accepted or the attempts are used up. Redirects are not followed, and count as
    /// failures.
    private func deliver(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async {
        await clock.deliver(repeatingAfter: configuration.webhookPauses) {
            await send(index, to: url, over: transport)
        }
    }

    /// Sends a webhook once.
    ///
    /// - Returns: true if it was accepted.
    @discardableResult func send(_ index: Int, to url: HTTPURL, over transport: any HTTPTransport) async -> Bool {
        let notification = notification(webhooks[index])
        webhooks[index].attempts += 1
        let request = HTTPRequest(.post, url, headers: notification.headers, body: notification.body)
        guard let answer = try? await transport.send(request), (200..<300).contains(answer.status) else { return false }
        webhooks[index].isDelivered = true
        return true
    }
}

extension WalletConnectPaySandbox.Configuration {
    func endpoint(of world: World) -> WalletConnectPaySandbox.WebhookEndpoint? {
        world == .live ? liveWebhooks : testWebhooks
    }
}

// MARK: - Body

/// The body of a webhook: the whole payment in its current state, whatever the event.
struct WebhookBody {
    let json: JSONValue

    init(_ kind: String, _ payment: PaymentRecord, id: String, at now: Date) {
        json = [
            "id": .string(id), "type": .string(kind), "api_version": "2026-05-18",
            "created_at": .string(WalletConnectPaySandbox.time(now)),
            "data": Self.data(payment, isSettled: kind == "payment.settled"),
        ]
    }

    private static func data(_ payment: PaymentRecord, isSettled: Bool) -> JSONValue {
        let transaction = payment.transfer.map { JSONValue.string($0.transactionID) } ?? .null
        func event(_ status: PaymentRecord.Status, _ name: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
            guard payment.status == status else { return .null }
            return .object(more.merging([name: time(payment.changedAt)]) { $1 })
        }
        return [
            "payment_id": .string(payment.id), "merchant_id": .string(payment.merchantID),
            "live": .bool(payment.world == .live), "reference_id": .string(payment.referenceID),
            "payment_state_version": .number(JSONNumber(payment.version)),
            "status": .string(payment.status.rawValue), "amount": payment.pricing.plainAmount(payment.units),
            "created_at": time(payment.createdAt),
            "expires_at": time(Date(timeIntervalSince1970: Double(payment.expiresAt))),
            "processing": processing(payment),
            "success": event(.succeeded, "succeeded_at", ["tx_id": transaction]),
            "failed": event(
                .failed, "failed_at", ["failure_reason": payment.failureCode.map { .string($0) } ?? .null]),
            "cancelled": event(
                .cancelled, "cancelled_at",
                ["cancellation_reason": payment.cancelledReason.map { .string($0) } ?? .null]),
            "expired": event(.expired, "expired_at"),
            "settled": isSettled
                ? [
                    "settled_at": time(payment.changedAt), "tx_id": transaction,
                    "amount": payment.transfer?.plainAmount ?? nil,
                ] : nil,
        ]
    }

    private static func processing(_ payment: PaymentRecord) -> JSONValue {
        guard let transfer = payment.transfer, let date = payment.processingAt else { return nil }
        let fees = Fees(on: payment.units, in: payment.pricing)
        let pricing = payment.pricing
        return [
            "processing_at": time(date), "option_amount": transfer.plainAmount,
            "fee": [
                "kind": "base_plus_percent", "base_amount": pricing.plainAmount(fees.fixed),
                "percent": ["numerator": "4", "denominator": "1000"],
                "percent_amount": pricing.plainAmount(fees.percentage), "total_amount": pricing.plainAmount(fees.total),
            ],
            "settlement_amount": pricing.plainAmount(payment.units - min(payment.units, fees.total)),
            "buyer_caip10": .string(transfer.account),
            "chain_caip2": .string(transfer.account.split(separator: ":").prefix(2).joined(separator: ":")),
        ]
    }

    private static func time(_ date: Date) -> JSONValue { .string(WalletConnectPaySandbox.time(date)) }
}
