public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request to pay, as one value: the payment that a caller asked for, and the terms of it.
///
/// A program that carries payments out for others, such as a server or a command line, turns each request into an
/// intent, stores it, and calls ``PaymentRouter/carryOut(_:quote:as:binding:)``, again after every interruption. The
/// router decides about earlier attempts, other intents for the same payment, and changed prices. The program only maps
/// ``PaymentStatement`` to its own words.
///
/// ```swift
/// let intent = PaymentIntent(of: link, key: "shop/order-7", choice: .within([limit]))
/// switch await router.carryOut(intent, as: payer) {
/// case .stated(let outcome): …
/// case .unanswered(let unanswered): …  // Ask again: the payment may be made.
/// case .notBegun(let reason): …        // Nothing was handed out.
/// }
/// ```
public struct PaymentIntent: Sendable, Hashable {
    /// The choice of an option that the caller has already made.
    @nonexhaustive
    public enum Choice: Sendable, Hashable {
        /// The payer is asked, or its policy decides.
        case asked
        /// The first option that costs at most one of these amounts.
        case within([Money])
        /// This option, at any amount that the service asks for when it is first quoted; see
        /// ``PaymentIntent/bound(to:)``.
        case option(PaymentMethodOption.ID)
        /// This option, at exactly the amount that was shown.
        case shown(PaymentMethodOption.ID, Money)
    }

    /// Stores the intent as it is bound to its first quote, before anything is chosen or sent. If it throws, nothing is
    /// chosen or sent.
    public typealias Binding = @Sendable (_ bound: PaymentIntent, _ quote: PaymentQuote) async throws -> Void

    /// The caller's name for the request, unique in the journal. The same key is the same request, however often it is
    /// carried out. A link that names a payee is paid once for each key. Nil for a request without a name: such a link
    /// then resumes an open payment to its payee.
    public let key: String?
    /// The link, an URI or the text of a QR code. It may hold secrets.
    public let link: Redacted<String>
    /// The choice of an option.
    public var choice: Choice
    /// Consent to a link that does not prove its destination.
    public let acceptsUnverified: Bool
    /// A person's consent to exactly this text, which has an unknown part that could change the payment. Without effect
    /// if the ``choice`` is one within limits.
    public let acceptsUnclear: Bool
    /// The time after which nothing new is begun; nil for none.
    public let deadline: Date?

    /// Creates an intent.
    ///
    /// - Parameters:
    ///   - link: the link.
    ///   - key: the caller's name for the request, unique in the journal; nil for none.
    ///   - choice: the choice of an option.
    ///   - acceptsUnverified: consent to a link that does not prove its destination.
    ///   - acceptsUnclear: a person's consent to exactly this text, which has an unknown part.
    ///   - deadline: the time after which nothing new is begun; nil for none.
    public init(
        of link: String, key: String?, choice: Choice = .asked, acceptsUnverified: Bool = false,
        acceptsUnclear: Bool = false, deadline: Date? = nil
    ) {
        self.key = key
        self.link = Redacted(link)
        self.choice = choice
        self.acceptsUnverified = acceptsUnverified
        self.acceptsUnclear = if case .within = choice { false } else { acceptsUnclear }
        self.deadline = deadline
    }

    /// Returns the intent with its option at the amount of a quote: the amount that was shown first is paid. Any other
    /// choice stays.
    ///
    /// - Parameter quote: the first quote for the intent.
    public func bound(to quote: PaymentQuote) -> PaymentIntent {
        guard case .option(let id) = choice, let option = quote.options.first(where: { $0.id == id }) else {
            return self
        }
        var bound = self
        bound.choice = .shown(id, option.amount)
        return bound
    }

    // MARK: What the terms allow

    /// Returns true if an attempt with `option` is within the terms. The payer may then be asked for it.
    func covers(_ option: PaymentMethodOption) -> Bool {
        switch choice {
        case .asked: true
        case .within(let limits): OptionPolicy.first(upTo: limits).takes(option)
        case .option(let id): option.id == id
        case .shown(let id, let amount): option.id == id && option.amount == amount && !option.isEstimate
        }
    }

    // MARK: Names

    /// The part of names that follows from the key; nil for an intent without one.
    private var mark: String? {
        key.map { String(Hex.encode(Digest.sha256.hash(Array("intent\n\($0)".utf8))).prefix(16)) }
    }

    /// Returns the id of a new attempt for this intent.
    func attemptID(_ random: any RandomSource) -> AttemptID {
        AttemptID(rawValue: "att_" + (mark.map { $0 + random.hex(16) } ?? random.hex(24)))
    }

    /// Returns true if an attempt was begun for this intent.
    func owns(_ attempt: PaymentAttempt) -> Bool {
        mark.map { attempt.id.rawValue.hasPrefix("att_" + $0) } ?? false
    }

    /// Returns the name of this intent's payment to a payee: the same in every run.
    func payment(to payee: String, _ random: any RandomSource) -> String {
        let digits = PaymentIdentity.drawnDigits
        let drawn = key.map { String(Hex.encode(Digest.sha256.hash(Array("payment\n\($0)".utf8))).prefix(digits)) }
        return PaymentIdentity.name(ofPaymentTo: payee, drawn ?? random.hex(digits))
    }
}

/// The rules of an intent: other intents' attempts, its deadline, its cancellation.
extension AttemptEngine {
    /// Returns true if the payer may be asked for what an attempt still needs: its own intent's, or one that costs what
    /// this intent has agreed to.
    func mayResume(_ attempt: PaymentAttempt) -> Bool {
        guard let intent, intent.key != nil, !intent.owns(attempt) else { return true }
        if case .asked = intent.choice { return false }
        return intent.covers(attempt.option)
    }

    /// Throws if nothing new may be begun for the intent.
    func checkMayBegin(_ payment: PaymentReference) async throws {
        guard let intent else { return }
        let isCancelled = try await histories(of: payment).contains {
            intent.owns($0.attempt) && Self.isCancellation($0.attempt)
        }
        if isCancelled { throw error(.cancelled, "it was cancelled before anything was sent") }
        if let deadline = intent.deadline, deadline <= effects.clock.now {
            throw error(.cancelled, "the request's time is over; nothing was sent")
        }
    }

    /// The option of attempts that stand for a cancellation.
    static let nothing = (id: "called-off", title: "nothing")

    /// Returns true if an attempt stands for a cancellation: it never runs.
    static func isCancellation(_ attempt: PaymentAttempt) -> Bool {
        attempt.option.id == nothing.id && attempt.option.title == nothing.title
            && attempt.option.expiresAt == attempt.startedAt
    }

    /// Abandons the intent's own attempt that has sent nothing, and stores that none is begun for it any more.
    ///
    /// - Returns: the error to state: `cancelled`, or `inUse` if money may have moved, or another intent's attempt is
    ///   open, which this one does not cancel.
    func cancelIntent(at payment: PaymentReference) async throws -> PaymentError {
        let histories = try await histories(of: payment)
        guard Ledger(histories, effects).recordedPayment == nil else {
            return error(.inUse, "it is paid; it cannot be cancelled any more", phase: .maybeSent)
        }
        if let open = histories.last(where: { !$0.isFinished }) {
            guard let intent, intent.owns(open.attempt) else {
                return error(
                    .inUse, "another request has begun this payment; it cannot be cancelled by this one",
                    phase: .maybeSent)
            }
            guard !open.mayHaveMovedMoney, open.outcome == nil else {
                return error(.inUse, "money may have moved; it cannot be cancelled any more", phase: .maybeSent)
            }
            try await close(open.attempt, .abandoned(reason: "cancelled by its caller"))
        }
        if intent?.key != nil { try await forbid(payment) }
        return error(.cancelled, "cancelled before anything was sent")
    }

    /// Stores that nothing is begun for a payment any more, as an attempt that never ran. It cannot be resumed: its
    /// option's time is over when it begins. It does not have the end of the payment's time, which distinguishes
    /// payments with several names. A late worker finds it under the payment's lease.
    func forbid(
        _ payment: PaymentReference, amount: Money? = nil, data: JSONValue? = nil,
        _ reason: String = "cancelled by its caller"
    ) async throws {
        let now = effects.clock.now
        let attempt = try moneyless(payment, Self.nothing, amount: amount, until: now, data: data, at: now)
        try await journaled { try await journal.open(attempt) }
        try await close(attempt, .abandoned(reason: reason))
    }

    /// Returns an attempt that stands for a cancellation, and moves no money.
    func moneyless(
        _ reference: PaymentReference, _ option: (id: String, title: String), amount: Money? = nil,
        until end: Date? = nil, data: JSONValue? = nil, at now: Date
    ) throws -> PaymentAttempt {
        PaymentAttempt(
            id: newAttemptID(), reference: reference,
            option: PaymentMethodOption(
                id: option.id, title: option.title, amount: try amount ?? Money(minorUnits: 0, currency: .eur),
                expiresAt: end, providerData: data),
            idempotencyKey: effects.random.uuid(), startedAt: now, expiresAt: nil)
    }
}
