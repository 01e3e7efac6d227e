public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The payments that a router makes without a question, at any provider: all that stay within some limits.
///
/// ```swift
/// let autoPay = AutoPay(within: [SpendingLimit(try Money(decimal: "20", currency: .eur), per: .day)])
/// let router = PaymentRouter(registry: registry, transport: transport, journal: journal, autoPay: autoPay)
/// ```
///
/// The first option that the payer can fulfil and that every limit leaves room for is taken, and its amount is reserved
/// in the journal before anything can move money. For any other payment the payer's chooser is asked. If there is no
/// chooser, the payment is declined (`over-limit`). A ``Payer/policy`` allows nothing beyond the limits: a payment
/// without a question must be within both. Limits do not apply to a chooser's choice, which is not counted.
///
/// An amount that cannot be compared with the limits is never paid without a question: an option in another currency or
/// with other decimals, unless ``Converter`` states its worth; an estimate, which may become more; an amount of zero.
/// With a converter, everything needs a worth in every limit: an unavailable rate lifts no limit. See <doc:AutoPaying>
/// for the rules of counting.
public struct AutoPay: Sendable {
    /// Returns the worth of an amount in another currency, in that currency's own minor units; nil if it is unknown.
    /// Round up: the limits are counted in this worth.
    public typealias Converter = @Sendable (_ amount: Money, _ limit: Money) async throws -> Money?

    /// The limits. All that cover a payment count; a payment that none covers needs a question.
    public let limits: [SpendingLimit]
    /// The providers that it is for; nil for all.
    public let providers: Set<ProviderID>?
    /// The time zone of the payer: days, weeks and months begin at midnight there. It is stored with what is spent, and
    /// while that counts, nothing is paid without a question by the days of another zone. Nil for the zone that is
    /// stored so, at first the device's.
    public let timeZone: TimeZone?
    let converter: Converter?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limits: the most that is paid without a question.
    ///   - providers: the providers that it is for; nil for all. At others the payer chooses as without it.
    ///   - timeZone: the time zone of the payer; nil for the account's, at first the device's.
    ///   - converter: returns the worth of amounts in the currency of a limit; without one nothing is converted.
    public init(
        within limits: [SpendingLimit], at providers: Set<ProviderID>? = nil,
        timeZone: TimeZone? = nil, converting converter: Converter? = nil
    ) {
        self.limits = limits
        self.providers = providers
        self.timeZone = timeZone
        self.converter = converter
    }

    func includes(_ provider: ProviderID) -> Bool { providers?.contains(provider) ?? true }

    /// Returns the spending of paying `option`: the most that may leave the payer.
    func spending(
        on option: PaymentMethodOption, _ most: Money, of quote: PaymentQuote, by attempt: AttemptID, at now: Date,
        in store: any SpendingStore
    ) async throws -> Spending {
        let zone = if let timeZone { timeZone } else { try await store.timeZone(at: now) }
        let spending = Spending(
            attempt: attempt, payment: quote.reference, amounts: [most], day: SpendingDay(now, in: zone),
            payee: quote.payee.id, method: option.method, keeper: .journal, timeZone: zone.identifier)
        var amounts = [most]
        for limit in limits where limit.includes(spending) {
            guard !amounts.contains(where: { $0.currency.denotesSame(as: limit.amount.currency) }),
                let worth = await worth(of: most, in: limit)
            else { continue }
            amounts.append(worth)
        }
        return Spending(
            attempt: attempt, payment: quote.reference, amounts: amounts, day: spending.day, payee: spending.payee,
            method: spending.method, keeper: spending.keeper, timeZone: spending.timeZone)
    }

    /// Returns the worth of what was spent before in the currencies of the limits on `spending`, as far as it is
    /// available now; nil if nothing is converted.
    func worths(before spending: Spending, in store: any SpendingStore) async throws -> SpendingWorths? {
        guard converter != nil else { return nil }
        var (worths, currencies) = (SpendingWorths(), [AttemptID: [Currency]]())
        let limits = limits.filter { $0.includes(spending) }
        for earlier in try await store.spendings(since: spending.day.firstThatCounts)
        where earlier.state != .released {
            let attempt = earlier.spending.attempt
            for limit in limits where limit.includes(earlier.spending) {
                let currency = limit.amount.currency
                guard earlier.spending.amount(in: currency) == nil, let amount = earlier.spending.amounts.first,
                    !currencies[attempt, default: []].contains(where: { $0.denotesSame(as: currency) })
                else { continue }
                currencies[attempt, default: []].append(currency)
                if let worth = await worth(of: amount, in: limit) { worths.add(worth, of: attempt) }
            }
        }
        return worths
    }

    /// Returns the worth of an amount in a limit's currency. Nil if the converter fails, or its answer is zero or has
    /// another currency or other decimals than the limit.
    private func worth(of amount: Money, in limit: SpendingLimit) async -> Money? {
        guard let worth = try? await converter?(amount, limit.amount),
            worth.currency.denotesSame(as: limit.amount.currency), worth.exponent == limit.amount.exponent,
            !worth.isZero
        else { return nil }
        return worth
    }
}

extension SpendingStore {
    /// Returns the time zone of the payer's days: that of the spendings that still count, at first the device's.
    package func timeZone(at now: Date) async throws -> TimeZone {
        let today = SpendingDay(now, in: .current)
        let known = try await spendings(since: today.firstThatCounts)
        return SpendingLedger(known).timeZone(on: today).flatMap { TimeZone(identifier: $0) } ?? .current
    }
}

// MARK: - Paying without a question

/// Payments without a question: chosen and reserved here, and settled with the attempt.
extension AttemptEngine {
    /// The result of looking for an option that may be paid without a question.
    enum Unasked {
        /// One is within the limits, and reserved for this attempt.
        case reserved(PaymentMethodOption, AttemptID)
        /// No option is within the limits; the text gives the reason.
        case none(String)
    }

    /// Reserves the first option that the payer can fulfil and that is within the limits; nil if there are no limits.
    func reserveUnasked(_ quote: PaymentQuote) async throws -> Unasked? {
        guard let autoPay = effects.autoPay, autoPay.includes(descriptor.id) else { return nil }
        guard !payer.isAlwaysAsked else { return Unasked.none("a part of the text is not known") }
        guard let store = effects.spendings else {
            return Unasked.none("the journal keeps no account of what is spent; give the router one that does")
        }
        var objections: [String] = []
        for option in quote.options where option.unmet.isEmpty {
            if let objection = objection(to: option, of: quote) {
                objections.append(objection)
                continue
            }
            let id = newAttemptID()
            guard let most = option.most else {
                objections.append("'\(option.id)' costs a fee that cannot be added to its amount")
                continue
            }
            let spending = try await journaled {
                try await autoPay.spending(on: option, most, of: quote, by: id, at: effects.clock.now, in: store)
            }
            var verdict = try await reserve(spending, autoPay, store)
            // Other reservations are settled only if they may be in the way.
            if case .refused(.exceeded) = verdict {
                await settleOthers()
                verdict = try await reserve(spending, autoPay, store)
            }
            switch verdict {
            case .granted: return .reserved(option, id)
            case .refused(let refusal): objections.append("'\(option.id)' \(refusal)")
            }
        }
        return Unasked.none(objections.joined(separator: "; "))
    }

    /// Returns why an option is not even compared with the limits; nil if it is.
    private func objection(to option: PaymentMethodOption, of quote: PaymentQuote) -> String? {
        guard !option.isEstimate else {
            return "'\(option.id)' costs an estimated \(option.amount), which may become more"
        }
        guard !option.amount.isZero else { return "'\(option.id)' says that it costs nothing" }
        guard let policy = payer.policy else { return nil }
        var alone = quote
        alone.options = [option]
        if case .none(let why) = policy.choice(from: alone) { return why }
        return nil
    }

    private func reserve(
        _ spending: Spending, _ autoPay: AutoPay, _ store: any SpendingStore
    ) async throws -> SpendingVerdict {
        let worths = try await journaled { try await autoPay.worths(before: spending, in: store) }
        do { return try await store.reserve(spending, within: autoPay.limits, counting: worths) } catch {
            // The reservation may have been stored, and no attempt will ever need it.
            try? await store.release(spending.attempt)
            throw self.error(.journal, "what is spent could not be stored: \(error)", cause: error)
        }
    }

    /// Pays an option that is reserved for an attempt. Any failure to open the attempt releases the reservation.
    func openReserved(
        _ quote: PaymentQuote, _ option: PaymentMethodOption, _ id: AttemptID, under key: String? = nil
    ) async throws -> PaymentOutcome {
        let ending: Result<PaymentOutcome, any Error>
        do { ending = .success(try await open(quote, option, as: id, under: key)) } catch { ending = .failure(error) }
        await effects.settleSpending(of: id)
        return try ending.get()
    }

    /// Returns the payer for the run of an attempt. An attempt with a reservation was chosen without a question, in any
    /// process: nothing that outlasts the payment is signed for it.
    func payer(of attempt: PaymentAttempt) async throws -> Payer {
        guard let signer = payer.signer, let spendings = effects.spendings,
            try await journaled({ try await spendings.spending(of: attempt.id) }) != nil
        else { return payer }
        var payer = payer
        payer.signer = UnaskedSigner(base: signer, provider: descriptor.id)
        return payer
    }

    func newAttemptID() -> AttemptID {
        intent?.attemptID(effects.random) ?? AttemptID(rawValue: "att_" + effects.random.hex(24))
    }
}

extension RouterEffects {
    /// The account of spendings without a question, which is a part of the journal.
    var spendings: (any SpendingStore)? { journal as? any SpendingStore }

    /// Updates a reservation by its attempt: paid or released if the attempt has ended, released if there is no attempt
    /// and none can be opened any more. A signature that was handed in counts as paid, whatever the service reported:
    /// the limits also hold for a dishonest service. Called by the present or former holder of the payment's lease. A
    /// failure is repaired by the next look.
    func settleSpending(of attempt: AttemptID) async {
        guard let spendings, let record = try? await spendings.spending(of: attempt), record.state == .reserved else {
            return
        }
        do {
            guard let history = try await journal.history(of: attempt) else {
                return try await spendings.release(attempt)
            }
            // A record that another writer has changed proves nothing.
            guard history.isFinished, isSound(history) else { return }
            let isPaid = history.authorities.signaturesEnd != nil || history.entries.contains(where: \.provesPayment)
            try await settleSpending(of: attempt, isPaid: isPaid)
        } catch {}
    }

    /// Settles the reservation of an attempt that has ended. A paid spending counts, even if it was taken for unpaid
    /// before, and nothing releases it.
    ///
    /// - Throws: ``SpendingError`` if it has no reservation or a paid one, and any error of the storage.
    func settleSpending(of attempt: AttemptID, isPaid: Bool) async throws {
        if isPaid { try await spendings?.commit(attempt) } else { try await spendings?.release(attempt) }
    }
}

/// Reservations that remain after a crash.
extension PaymentRouter {
    /// Settles every reservation whose attempt has ended, or was never opened by a worker that is gone.
    ///
    /// - Parameter own: a payment whose lease the caller holds.
    package func settleSpendings(holding own: PaymentReference? = nil) async {
        guard let store = effects.spendings, let open = try? await store.reservedSpendings() else { return }
        for spending in open.map(\.spending) where spending.keeper == .journal {
            let isOpened = (try? await effects.journal.history(of: spending.attempt)) != nil
            if isOpened || spending.payment == own {
                await effects.settleSpending(of: spending.attempt)
            } else {
                // The worker that reserved holds the lease until the attempt is opened. A worker that cannot hold it
                // any more cannot open an attempt either.
                try? await leases.with(spending.payment, waiting: false) { _ in
                    await effects.settleSpending(of: spending.attempt)
                } orElse: { _ in
                }
            }
        }
    }
}

// MARK: - Signing without a question

/// A signer for payments without a question: signs only calls that were reviewed, and that bind the payer to no more
/// than the payment.
struct UnaskedSigner: PaymentSigner {
    let base: any PaymentSigner
    let provider: ProviderID

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        if let objection = SigningReview.objection(to: request.review) {
            throw PaymentError(
                .consentNeeded,
                "the payment \(objection), which is not signed without a question: ask the payer",
                provider: provider)
        }
        return try await base.sign(request)
    }
}

extension SigningReview {
    /// Returns what only the payer can agree to; nil when the calls may be signed without a question.
    fileprivate static func objection(to review: SigningReview?) -> String? {
        guard let review else { return "has calls that were not reviewed" }
        if let objection = review.warnings.lazy.compactMap(\.objection).first { return objection }
        return review.effects.lazy.compactMap(\.objection).first
    }
}

extension SigningReview.Warning {
    /// The reason for asking the payer; nil for a warning that a payment without a question may have. Each warning is
    /// decided here: a new one does not compile before that.
    fileprivate var objection: String? {
        switch self {
        // The service names the recipient of any payment.
        case .recipientUnknown: nil
        case .displayUnverified: "is in a token whose decimals only the service states"
        case .approvalUnlimited: "asks for an unlimited allowance"
        case .approvalMoreThanNeeded: "asks for an allowance above its amount"
        case .solanaRent: "opens an account for another party, at a cost that no limit counts"
        case .unreviewed: "has calls that were not reviewed"
        }
    }
}

extension SigningReview.Effect {
    /// The reason for asking the payer, whatever the warnings are.
    fileprivate var objection: String? {
        if kind == .unreviewed { return SigningReview.Warning.unreviewed.objection }
        return quantity == .unlimited ? SigningReview.Warning.approvalUnlimited.objection : nil
    }
}
