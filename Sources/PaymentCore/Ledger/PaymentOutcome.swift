/// The library's statement about a payment: true, or ``unknown(_:)``.
///
/// Services claim (``ServiceReport``), the ledger states: it compares the claim with everything recorded that could
/// have moved money. Final outcomes hold a ``Stated`` fact. It has no initialiser outside this file, so no other code
/// can make one. Code that handles outcomes is tested with those that `PaymentTesting` makes.
///
/// Later versions may add cases: treat an unknown case as ``unknown(_:)``, and ask ``isFinal`` whether anything more
/// will happen.
@nonexhaustive
public enum PaymentOutcome: Sendable, Hashable {
    /// It is paid; if the receipt is a refund's, it is refunded.
    case succeeded(Stated<PaymentReceipt>)
    /// It was refused; no money moved. Or, with ``DeclineReason/Code/refunded``, all of it went back.
    case declined(Stated<DeclineReason>)
    /// It was cancelled; no money moved.
    case cancelled(Stated<NoPayment>)
    /// Its time ran out; no money moved.
    case expired(Stated<NoPayment>)
    /// It is in progress. Ask again after so long, when known.
    case pending(retryAfter: Duration?)
    /// The outcome is not known. Ask again later; do not pay again by other means before an answer.
    case unknown(UnknownOutcome)

    /// True if nothing more will happen.
    public var isFinal: Bool { report.isFinal }

    /// True if no money has moved and none will.
    package var deniesPayment: Bool { report.deniesPayment }
}

extension PaymentOutcome? {
    /// Returns true if the outcome says what `report` claims.
    public static func == (outcome: PaymentOutcome?, report: ServiceReport?) -> Bool { outcome?.report == report }

    /// Returns true if the outcome does not say what `report` claims.
    public static func != (outcome: PaymentOutcome?, report: ServiceReport?) -> Bool { outcome?.report != report }
}

/// A fact of a final outcome: its members are the fact's.
@dynamicMemberLookup
public struct Stated<Fact: Sendable & Hashable>: Sendable, Hashable {
    /// The fact.
    public let fact: Fact

    fileprivate init(_ fact: Fact) { self.fact = fact }

    /// Returns a member of the fact.
    public subscript<Value>(dynamicMember member: KeyPath<Fact, Value>) -> Value { fact[keyPath: member] }
}

/// A statement about a payment: an outcome, or that a call about it was stopped. An error is not an outcome: the
/// journal's records decide what it leaves open.
///
/// Only the ledger makes ``notBegun(_:)``, as it makes final outcomes.
@nonexhaustive
public enum PaymentStatement: Sendable, Hashable {
    /// The outcome.
    case stated(PaymentOutcome)
    /// The call was stopped by this error, and the payment may be made, or may still be: ask again, and do not pay in
    /// any other way before there is an answer.
    case unanswered(PaymentError, UnknownOutcome)
    /// The call was stopped by this error. Nothing was handed out for the payment, by the journal: no request,
    /// signature or order that can move money.
    case notBegun(Stated<PaymentError>)
}

/// The fact that no money moved, and none will.
public struct NoPayment: Sendable, Hashable {
    fileprivate init() {}
}

extension PaymentOutcome {
    fileprivate init(_ report: ServiceReport) {
        self =
            switch report {
            case .succeeded(let receipt): .succeeded(Stated(receipt))
            case .declined(let reason): .declined(Stated(reason))
            case .cancelled: .cancelled(Stated(NoPayment()))
            case .expired: .expired(Stated(NoPayment()))
            case .pending(let wait): .pending(retryAfter: wait)
            case .unknown(let unknown): .unknown(unknown)
            }
    }

    /// The claim that says the same.
    package var report: ServiceReport {
        switch self {
        case .succeeded(let receipt): .succeeded(receipt.fact)
        case .declined(let reason): .declined(reason.fact)
        case .cancelled: .cancelled
        case .expired: .expired
        case .pending(let wait): .pending(retryAfter: wait)
        case .unknown(let unknown): .unknown(unknown)
        }
    }
}

extension PaymentOutcome: CustomStringConvertible {
    /// A few words for people.
    public var description: String { report.description }
}

extension PaymentOutcome: Codable {
    /// Reads an outcome that was stated and stored before, as journals do.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws { self.init(try ServiceReport(from: decoder)) }

    /// Writes the outcome.
    ///
    /// - Throws: any error of `encoder`.
    public func encode(to encoder: any Encoder) throws { try report.encode(to: encoder) }
}

// MARK: The makers of outcomes

extension Ledger {
    /// Returns the outcome to state when the service, or this device, claims `report`.
    package func verdict(on report: CheckedReport, at face: Face) -> PaymentOutcome {
        let words: String
        switch report.claim {
        case .succeeded(let receipt): return PaymentOutcome(claim(on: receipt))
        case .pending: return PaymentOutcome(report.claim)
        case .unknown(let unknown): words = unknown.message
        case .declined, .cancelled, .expired: words = "the service says: \(report)"
        }
        for history in histories {
            guard let obstacle = obstacle(in: history, at: face, isFinal: report.deniesPayment) else { continue }
            return .unknown(
                UnknownOutcome(
                    reference: history.attempt.reference, rawStatus: report.deniesPayment ? "\(report)" : nil,
                    message: "\(obstacle.fact); \(words); \(obstacle.advice)"))
        }
        return PaymentOutcome((report.deniesPayment ? claim(against: report) : nil) ?? report.claim)
    }

    /// Returns the statement about a payment after a call about it has thrown `error`.
    ///
    /// - Parameter payment: the payment; nil if a link named none.
    package func statement(on error: PaymentError, of payment: PaymentReference?) -> PaymentStatement {
        if let paid = recordedPayment?.outcome { return .stated(paid) }
        let open = histories.last { !isSound($0) || !$0.isFinished }
        guard error.phase == .maybeSent || open != nil else { return .notBegun(Stated(error)) }
        let reference = open?.attempt.reference ?? payment ?? PaymentReference(provider: error.provider ?? "", id: "")
        var message = error.message
        if open != nil, case .unknown(let known) = recorded(of: reference) { message += "; \(known.message)" }
        return .unanswered(error, UnknownOutcome(reference: reference, message: message))
    }

    /// Returns the outcome of an attempt that a person has decided.
    ///
    /// - Parameter words: the person and the evidence.
    /// - Throws: ``PaymentError``, `decisionRefused`, if the record holds something against it.
    package func outcome(
        of history: AttemptHistory, decided decision: PaymentDecision, _ words: String
    ) throws(PaymentError) -> PaymentOutcome {
        let payment = history.attempt.reference
        if decision == .paid {
            return PaymentOutcome(.succeeded(PaymentReceipt(reference: payment, decision: words)))
        }
        if let objection = objection(to: decision, in: history) {
            throw PaymentError(.decisionRefused, objection, provider: payment.provider, phase: .maybeSent)
        }
        return PaymentOutcome(.declined(DeclineReason(.decided, "not paid, as \(words)")))
    }
}

/// A person's decision about a payment whose service, wallet or settler never answers.
@nonexhaustive
public enum PaymentDecision: String, Sendable, Hashable, CaseIterable {
    /// It is paid or, for a refund, refunded.
    case paid
    /// It is not paid, and never will be.
    case notPaid = "not-paid"
    /// It is not paid, although the payer's wallet or settler reported a transaction or a proof. For example, the
    /// network has dropped that transaction and can no longer carry it out.
    case notPaidDespiteTransaction = "not-paid-despite-transaction"
}
