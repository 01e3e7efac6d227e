#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One try to pay, capture or refund one payment with one option. Holds everything that a provider needs to resume
/// after a crash; no secrets, and not the link, which may hold some.
public struct PaymentAttempt: Sendable, Hashable, Codable {
    /// The attempt's own id.
    public let id: AttemptID
    /// The payment.
    public let reference: PaymentReference
    /// The chosen option.
    public let option: PaymentMethodOption
    /// Random, made once per attempt, at most 64 ASCII characters: for services that recognise repetitions.
    public let idempotencyKey: String
    /// The date of the beginning.
    public let startedAt: Date
    /// The end of the time in which the payment can be paid.
    public let expiresAt: Date?
    /// The router's proof that the attempt is its own; nil if the application provides no key for it. Journals store
    /// it and do not interpret it.
    public var seal: String?

    /// Creates an attempt.
    public init(
        id: AttemptID, reference: PaymentReference, option: PaymentMethodOption, idempotencyKey: String,
        startedAt: Date, expiresAt: Date?, seal: String? = nil
    ) {
        self.id = id
        self.reference = reference
        self.option = option
        self.idempotencyKey = idempotencyKey
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.seal = seal
    }

    /// The capture that this is an attempt at, over the option's amount; nil when it is one at anything else.
    public var capture: CaptureRequest? {
        reference.capturedPayment.map { CaptureRequest(of: $0, amount: option.amount) }
    }

    /// The refund that this is an attempt at, of the payment that the reference names, over the option's amount; nil
    /// when it is one at anything else.
    public var refund: RefundRequest? {
        reference.refundedPayment.map { RefundRequest(of: $0, amount: option.amount, id: reference.id) }
    }

    /// The refund as it is passed to the service: with the number of earlier ones that failed there, which the option
    /// keeps.
    package var refundAtService: RefundRequest? {
        guard var request = refund else { return nil }
        request.earlierFailures = PaymentMethodOption.earlierFailures(in: option.id)
        return request
    }
}

extension PaymentMethodOption {
    private static let refund = "refund"

    /// Creates the option of a refund.
    ///
    /// - Parameters:
    ///   - amount: the amount.
    ///   - earlierFailures: ``RefundRequest/earlierFailures``. It is stored with the attempt. A resumed refund keeps
    ///     its name at the service, whatever else was removed from the journal since.
    package static func refund(_ amount: Money, earlierFailures: Int) -> PaymentMethodOption {
        let id = earlierFailures == 0 ? refund : "\(refund)-\(earlierFailures)"
        return PaymentMethodOption(id: id, title: "Refund", amount: amount)
    }

    fileprivate static func earlierFailures(in id: String) -> Int {
        guard id.hasPrefix("\(refund)-") else { return 0 }
        return Int(id.dropFirst(refund.count + 1)) ?? 0
    }
}

extension PaymentAttempt: CustomStringConvertible, CustomReflectable {
    /// A few words for people: `att_7f… at citcon/order-7, 12.50 EUR with Card`.
    public var description: String { "\(id) at \(reference), \(option.amount) with \(option.title)" }

    /// The part that dumps and interpolations show. It has neither the attempt's key at the service nor the provider's
    /// own data.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id.rawValue, "reference": reference.description, "option": option.id,
                "amount": option.amount.description, "startedAt": startedAt, "expiresAt": expiresAt as Any,
            ], displayStyle: .struct)
    }
}

extension PaymentAttempt {
    /// Returns the key for the request of one step, if an attempt sends several requests that need one. It is the same
    /// for the same attempt and step in every run and process, and different for any other.
    ///
    /// A key that is drawn when it is needed changes after a crash. It also changes when a payer's return is handled
    /// next to the payment. The service then carries the request out twice.
    ///
    /// - Returns: a text of the form of a random UUID, in lower case.
    public func key(for step: String) -> String { Self.key(for: step, of: idempotencyKey) }

    /// Returns the same for the attempt that has this idempotency key.
    package static func key(for step: String, of idempotencyKey: String) -> String {
        // FNV-1a with 128 bits (RFC 9923). The attempt's key is random, so no input can aim at another attempt's.
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in Array(idempotencyKey.utf8) + [0xFF] + Array(step.utf8) {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (120 - 8 * UInt128($0))) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hex.encode(bytes)
        var parts: [Substring] = []
        var rest = text[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}

// MARK: - History

/// An attempt and all its stored entries.
public struct AttemptHistory: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// Its entries, oldest first.
    public var entries: [JournalEntry]

    /// Creates a history.
    public init(attempt: PaymentAttempt, entries: [JournalEntry] = []) {
        self.attempt = attempt
        self.entries = entries
    }

    /// The last outcome stored.
    public var outcome: PaymentOutcome? {
        for case .outcome(let outcome) in entries.reversed().map(\.event) { return outcome }
        return nil
    }

    /// True if nothing more will happen to the attempt.
    public var isFinished: Bool {
        entries.contains(where: \.isEnding)
    }

    /// The date of its end; nil while it is in progress.
    public var endedAt: Date? { entries.last(where: \.isEnding)?.date }

    /// Everything that the attempt has begun and that can move money.
    package var authorities: Authorities { Authorities(entries) }

    /// True if anything that moves money ever began, whatever its outcome.
    public var hasBegunMutation: Bool { authorities.haveBegun }

    /// True if a mutation or a transfer by the payer's wallet began whose end is not stored as being without effect, or
    /// a request handed in a signature that pays, whatever the answer: money may have moved.
    public var mayHaveMovedMoney: Bool { authorities.mayHaveMovedMoney }

    /// The transfers that the payer's wallet or settler may have sent by itself, unseen by any service. For each such
    /// step the transaction's id or the settlement's proof; nil if none was reported.
    public var walletTransfers: [String?] { authorities.transfers }
}

/// One entry in the journal.
public struct JournalEntry: Sendable, Hashable, Codable {
    /// The kinds of events.
    @nonexhaustive
    public enum Event: Sendable, Hashable, Codable {
        /// A step is about to run.
        case stepStarted(name: String, kind: StepKind)
        /// A step ended with this result.
        case stepFinished(name: String, result: JSONValue)
        /// A step ended without effect: the service refused or, if `wasSent` is false, nothing left this device. The
        /// text has no secrets.
        case stepFailed(name: String, reason: String, wasSent: Bool = true)
        /// The attempt reached an outcome. Only a final one ends it.
        case outcome(PaymentOutcome)
        /// The attempt ended before anything could move money. The text has no secrets.
        case abandoned(reason: String)
    }

    /// The date of the event.
    public let date: Date
    /// The event.
    public let event: Event
    /// The router's proof that it wrote the entry, here and after the entries before it; see ``PaymentAttempt/seal``.
    public var seal: String?

    /// True if nothing more happens to the attempt after this.
    public var isEnding: Bool {
        switch event {
        case .outcome(let outcome): outcome.isFinal
        case .abandoned: true
        default: false
        }
    }

    /// True if the attempt ended with the payment or the refund made.
    public var provesPayment: Bool { if case .outcome(.succeeded) = event { true } else { false } }

    /// Creates an entry.
    public init(date: Date, event: Event, seal: String? = nil) {
        self.date = date
        self.event = event
        self.seal = seal
    }
}
