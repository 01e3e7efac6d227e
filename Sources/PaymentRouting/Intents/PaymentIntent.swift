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

    /// Stores the intent as it is bound to its first quote, before anything is chosen or sent. Where it throws, nothing
    /// is.
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
    /// A person's consent to exactly this text, of which a part is not known that could change the payment. Without
    /// effect where the ``choice`` is one within limits.
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
    ///   - acceptsUnclear: a person's consent to exactly this text, of which a part is not known.
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

    /// Returns the intent with its option at the amount of a quote: what was shown first is what is paid. Any other
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

    /// Returns true if an attempt with `option` is within the terms, so that the payer may be asked for it.
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
