public import PaymentCore
import PaymentCrypto
import PayrailsProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A genuine notification: its signature is valid, and covers every value here (Protocol 7).
public struct PayrailsNotification: Sendable, Hashable {
    /// A kind of event. Open: the service may add others.
    public struct Event: Sendable, Hashable, Codable, RawRepresentable {
        /// The service's name of the event.
        public let rawValue: String

        /// Creates an event from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An execution was created.
        public static let executionCreated = Event(rawValue: "executionCreated")
        /// An action was requested.
        public static let actionRequested = Event(rawValue: "executionActionRequested")
        /// An action has ended.
        public static let actionCompleted = Event(rawValue: "executionActionCompleted")
        /// The reported state of an action has changed.
        public static let actionUpdated = Event(rawValue: "executionActionUpdated")
        /// Rules were applied.
        public static let ruleEngineExecuted = Event(rawValue: "ruleEngineExecuted")
        /// An instrument was enrolled for offers.
        public static let offersEnrollmentCompleted = Event(rawValue: "networkOffersEnrollmentCompleted")
    }

    /// The progress of an action, as far as it is known.
    @nonexhaustive
    public enum Progress: Sendable, Hashable {
        /// The action was requested, or continues.
        case inFlight
        /// The action succeeded.
        case successful
        /// The action failed, with the service's reason code if it gives one.
        case failed(String?)
        /// The notification states neither.
        case unclear
    }

    /// The id of the merchant that received the notification.
    let merchant: ProviderID
    let captureMode: PayrailsCaptureMode
    /// The event.
    public let event: Event
    /// The time of the event by the service's clock; nil if it wrote none.
    public let time: Date?
    /// The id of the workspace.
    public let workspace: String?
    /// The trigger of the event: `api`, `action` or `external`.
    public let trigger: String?
    /// The action of the event; nil if it has none.
    public let action: PayrailsAction?
    /// The service's id of the action, the same in all notifications about it.
    public let actionID: String?
    /// The progress of the action.
    public let progress: Progress
    /// The id of the execution; nil if the event has none.
    public let execution: String?
    /// The merchant's own reference of the order.
    public let order: String?
    /// The total of the execution, whatever the amount of the action.
    public let amount: Money?
    /// The merchant's own id of the refund, if this library requested it.
    public let refund: String?
    /// The amount of the refund, if this library requested it.
    public let refundAmount: Money?
    /// The reading of the secret that makes the signature valid.
    public let keyReading: PayrailsKeyReading
    /// The SHA-256 of the body in hexadecimal digits: the same for each repetition. Store it for as long as
    /// notifications are accepted, and skip known ones.
    public let fingerprint: String
}

extension PayrailsNotification {
    /// Creates a notification from a body whose signature is valid.
    init(
        _ body: [UInt8], _ reading: PayrailsKeyReading, to merchant: PayrailsMerchant
    ) throws(NotificationDefect) {
        guard let json = try? JSONValue(parsing: body) else { throw .notJSON }
        guard let event = WireText.code(json["event"]?.string) else { throw .unreadable("event") }
        let details = json["details"] ?? .null
        let execution = details["execution"] ?? .null
        self.merchant = merchant.id
        captureMode = merchant.captureMode
        self.event = Event(rawValue: event)
        time = try Self.time(json["time"])
        workspace = WireText.code(json["workspaceId"]?.string)
        trigger = WireText.code(json["eventTrigger"]?.string)
        action = WireText.code(details["action"]?.string).map(PayrailsAction.init)
        actionID = WireText.id(details["actionId"]?.string)
        progress = Self.progress(self.event, details)
        self.execution = WireText.id(execution["id"]?.string)
        order = execution["merchantReference"]?.string
        amount = try Self.money(details["amount"], "details.amount")
        let meta = details["actionMeta"]
        refund = meta?[RefundMark.member]?.string.flatMap(RefundMark.id(in:))
        // Other systems' notes may have a member of this name.
        refundAmount =
            refund == nil ? nil : try Self.money(meta?[RefundMark.amount], "details.actionMeta.\(RefundMark.amount)")
        keyReading = reading
        fingerprint = Hex.encode(Digest.sha256.hash(body))
        if action != nil, self.execution == nil { throw .unreadable("details.execution.id") }
    }

    /// Returns the time; nil for none.
    private static func time(_ value: JSONValue?) throws(NotificationDefect) -> Date? {
        guard let value, !value.isNull else { return nil }
        guard let time = value.string.flatMap(VendorTime.init) else { throw .unreadable("time") }
        guard time.isSet else { return nil }
        return RFC3339(seconds: time.seconds, nanoseconds: time.nanoseconds).date
    }

    /// Returns the amount; nil for none. One that cannot be read must not count as any.
    private static func money(_ member: JSONValue?, _ name: String) throws(NotificationDefect) -> Money? {
        switch WireAmount(member) {
        case .absent: nil
        case .stated(let money): money
        case .unreadable: throw .unreadable(name)
        }
    }

    private static func progress(_ event: Event, _ details: JSONValue) -> Progress {
        switch event {
        case .actionRequested: return .inFlight
        case .actionCompleted, .actionUpdated: break
        default: return .unclear
        }
        switch details["success"]?.bool {
        case true?: return .successful
        case false?:
            let reason = details["errors"]?[0]?["reason"]
            let category = WireText.code(reason?["category"]?.string)
            if let category, ["Pending", "Redirect"].contains(category) { return .inFlight }
            // An action that has not ended is not reported as failed without a reason.
            guard details["errors"]?[0] != nil else { return event == .actionUpdated ? .inFlight : .unclear }
            return .failed(WireText.code(reason?["result"]?.string))
        case nil: return .unclear
        }
    }
}

extension PayrailsNotification {
    /// The reference of the payment or refund that the notification is about, as in routers and journals. A
    /// notification about neither has a unique reference.
    public var paymentReference: PaymentReference {
        guard let payment else {
            return PaymentReference(provider: merchant, id: "notification-\(fingerprint.prefix(32))")
        }
        guard action == .refund else { return payment }
        // A refund requested elsewhere, as in the portal, has no id of this merchant.
        return PaymentReference(
            provider: merchant, id: refund ?? "action-\(actionID ?? fingerprint)", subject: .refund(of: payment.id))
    }

    /// The payment of the execution, even if the notification is about a refund of it.
    var payment: PaymentReference? { execution.map { PaymentReference(provider: merchant, id: $0) } }

    /// The notification's report.
    public var report: ServiceReport {
        switch (action, progress) {
        case (.authorize?, .inFlight), (.confirm?, .inFlight), (.capture?, .inFlight), (.refund?, .inFlight),
            (.cancel?, .inFlight):
            return .pending(retryAfter: nil)
        case (.authorize?, .successful), (.confirm?, .successful):
            return captureMode == .instant ? paid : .pending(retryAfter: nil)
        case (.capture?, .successful): return paid
        case (.cancel?, .successful): return .cancelled
        // This library's refunds state their amount: without it, nothing shows that it is the requested one.
        case (.refund?, .successful) where refund == nil || refundAmount != nil:
            return .succeeded(
                PaymentReceipt(reference: paymentReference, amount: refundAmount, transactionID: actionID))
        case (.authorize?, .failed(let reason)), (.confirm?, .failed(let reason)):
            return .declined(DeclineReason(.refused, "the payment was declined\(Self.because(reason))"))
        case (.refund?, .failed(let reason)):
            return .declined(
                DeclineReason(.refused, "the refund failed, and no money went back\(Self.because(reason))"))
        default:
            if event == .executionCreated { return .pending(retryAfter: nil) }
            let word = [event.rawValue, action?.rawValue].compactMap(\.self).joined(separator: " ")
            return .unknown(
                UnknownOutcome(
                    reference: paymentReference, rawStatus: word,
                    message: "the notification does not say how the payment stands; ask for its status"))
        }
    }

    /// The receipt of the payment. The notification has the total, and a merchant may have captured only a part of it.
    private var paid: ServiceReport {
        .succeeded(
            PaymentReceipt(reference: paymentReference, amount: captureMode == .manual ? nil : amount))
    }

    private static func because(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }

    /// Returns true unless the notification is about another total. Failed actions state zero.
    func isOver(_ total: Money) -> Bool {
        if case .failed = progress, amount?.isZero == true { return true }
        return amount.map { $0 == total } ?? true
    }

    /// Checks the notification against the session that was opened for the order.
    ///
    /// - Throws: ``PaymentError`` with code `integrity`, naming the difference.
    public func check(against session: PayrailsOpenSession) throws(PaymentError) {
        let difference: String? =
            if execution == nil || execution != session.payment?.id {
                "it is about another execution"
            } else if let order, order != session.order.order {
                "its order is another"
            } else if !isOver(session.order.amount) {
                "its amount or currency is another"
            } else {
                nil
            }
        guard let difference else { return }
        throw PaymentError(
            .integrity, "the notification does not fit the session: \(difference)", provider: merchant)
    }
}

// MARK: - Genuineness

extension PayrailsMerchant: NotificationReadingService {
    /// Checks that `notification` is genuine and reads it.
    ///
    /// - Returns: the reference of the payment or refund, and its report.
    /// - Throws: ``PaymentError`` with code `untrustedNotification` and the reason.
    public func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let genuine = try read(notification)
        return PaymentNotification(reference: genuine.paymentReference, report: genuine.report)
    }

    /// Checks that `notification` is genuine and reads its whole content.
    ///
    /// The signature covers no time of sending: an eavesdropper can send a notification again as long as its time is
    /// near the clock's. Skip those whose ``PayrailsNotification/fingerprint`` is known, or apply them to a
    /// ``PayrailsPaymentState``, which remembers them.
    ///
    /// - Returns: the notification.
    /// - Throws: ``PaymentError`` with code `untrustedNotification` and the reason.
    public func read(_ notification: IncomingNotification) throws(PaymentError) -> PayrailsNotification {
        do throws(NotificationDefect) {
            let reading = try SignedNotification.check(notification, notificationSecrets)
            let genuine = try PayrailsNotification(notification.body, reading, to: self)
            if let workspace, let named = genuine.workspace, named != workspace { throw .foreign }
            if let time = genuine.time, Duration.seconds(abs(time.timeIntervalSince(clock.now))) > notificationLifetime
            {
                throw .stale
            }
            return genuine
        } catch {
            throw PaymentError(
                .untrustedNotification, "the notification is not accepted: \(error)", provider: id, phase: .answered)
        }
    }
}

/// The signature of a notification: HMAC-SHA256 over the body as received (Protocol 7.1).
enum SignedNotification {
    static let maximumLength = 256 << 10
    private static let header = "X-Signature"

    /// Checks the signature before reading any of the body.
    ///
    /// - Returns: the reading of the secret that makes the signature valid.
    static func check(
        _ notification: IncomingNotification, _ secrets: [Redacted<String>]
    ) throws(NotificationDefect) -> PayrailsKeyReading {
        guard !secrets.isEmpty else { throw .noSecret }
        guard notification.body.count <= maximumLength else { throw .tooLarge }
        let values = notification.headers.values(header)
        // Decoders are lenient. The service writes one form.
        guard values.count == 1, let value = values.first, let bytes = Data(base64Encoded: value),
            bytes.base64EncodedString() == value
        else { throw .noSignature }
        var holding: PayrailsKeyReading?
        // Tries all of them, so that the time does not reveal the matching one.
        for secret in secrets {
            for reading in PayrailsKeyReading.allCases {
                guard let key = reading.key(secret) else { continue }
                let code = Digest.sha256.authenticate(notification.body, key: key)
                if ConstantTime.equal(code, bytes) { holding = holding ?? reading }
            }
        }
        guard let holding else { throw .forged }
        return holding
    }
}

/// The derivation of the key that signs an address's notifications from its secret. The documentation's secret is a
/// sequence of hexadecimal digits, and does not say whether they are the key or spell it: both are tried.
@nonexhaustive
public enum PayrailsKeyReading: String, Sendable, Hashable, Codable, CaseIterable {
    /// The characters of the secret are the key.
    case text
    /// The secret spells the key in hexadecimal digits.
    case hexadecimal

    /// Returns the key; nil if the secret does not have this form.
    func key(_ secret: Redacted<String>) -> [UInt8]? {
        let text = secret.reveal()
        switch self {
        case .text: return text.isEmpty ? nil : Array(text.utf8)
        case .hexadecimal:
            // Keys shorter than the digest could be guessed. The prefix of other notations does not belong to a secret.
            guard text.utf8.count >= 64, !text.lowercased().hasPrefix("0x") else { return nil }
            return Hex.decode(text)
        }
    }
}

/// The reason that a notification is not accepted.
enum NotificationDefect: Error, Sendable, Hashable, CustomStringConvertible {
    case noSecret
    case tooLarge
    /// There is no `X-Signature`, more than one, or one that is not base64.
    case noSignature
    /// The signature does not match.
    case forged
    case notJSON
    /// A required member is missing or malformed.
    case unreadable(String)
    /// It is about another workspace.
    case foreign
    /// The time differs too much from the clock's.
    case stale

    var description: String {
        switch self {
        case .noSecret: "no secret is configured to check it with"
        case .tooLarge: "it is larger than \(SignedNotification.maximumLength) bytes"
        case .noSignature: "it has not exactly one 'X-Signature', base64 with padding"
        case .forged: "its signature does not match; check that the body is the raw one, and the secret the address's"
        case .notJSON: "it is not one JSON text, every member once"
        case .unreadable(let name): "its '\(name)' is missing or cannot be read"
        case .foreign: "it is about another workspace than this merchant's"
        case .stale: "its time is too far from this machine's clock: it is a repetition, or the clock is wrong"
        }
    }
}
