import PaymentCore

/// The promises to payers and merchants, in parts that can be checked separately.
package enum Promise: String, Sendable, Hashable, CaseIterable {
    /// No payment is paid twice, no statement contradicts the money, everything ends.
    case money
    /// The same after the payer's wallet has sent coins: then no negative status of the service is trusted.
    case walletActs = "wallet-acts"
    /// The same for a payment whose link was used in several spellings: it is one payment.
    case spellings
    /// The same after an upgrade that renamed steps.
    case renamedSteps = "renamed-steps"
    /// The same with wrong clocks: the application's clock decides nothing final, except that a signature's time is
    /// over.
    case clocks
    /// The same if one copy of a request was carried out and another one refused.
    case refusedCopies = "refused-copies"
    /// An attempt that an error reported as unsent is not resumed by another process.
    case abandonment
    /// The answer to a bare status query takes the journal into account.
    case questions
    /// An attempt at a payment that another device has paid ends, and reports that.
    case otherDevices = "other-devices"
    /// The application may call its router from inside any callback: the call returns, and a decision is stored or
    /// refused by an error.
    case callbacks
    /// After a journal was restored from an older copy, while nothing was on its way any more: of a payment whose
    /// records were lost it is still true that nothing is called paid or refunded that is not, that services and
    /// settlers take it once, by its own name, that a refund is made once, by its number, and that every attempt ends.
    /// Not promised of it: that a wallet sends coins once, that signatures and limits are remembered, and that a
    /// refusal of the service is true with regard to the lost records. All other payments are as if nothing had
    /// happened.
    case restored
    /// A payment whose wallet or settler never answers delays the others by the bound of recovery at most.
    case hanging
    /// Every outcome that is called final stays true: an expired, declined or cancelled payment is not paid later.
    case finality

    /// The kept promises: all of them. Breaches of others would be found as well, and listed, but fail nothing.
    package static let kept: Set<Promise> = Set(allCases)
}

/// A promise that was broken.
package struct Breach: Sendable, Hashable {
    package let promise: Promise
    package let text: String
}

// MARK: - Verdict

/// The result of a history.
package struct Verdict: Sendable {
    /// The breaches of promises that should have been kept, in words. Empty if there are none.
    package var breaches: [String] = []
    /// Breaches of promises that are not given yet.
    package var open: [Breach] = []
    /// The events, line by line, if the history was traced.
    package var trace: [String] = []
    /// The number of payments.
    package var payments = 0
    /// The number of captures of services.
    package var captures = 0
    /// The number of transfers of wallets.
    package var broadcasts = 0
    /// The number of statements.
    package var words = 0
    /// The number of started processes.
    package var processes = 0
    /// The number of virtual seconds.
    package var seconds = 0.0

    package init() {}
}

// MARK: - Statement

/// A statement of a router to a caller.
struct Statement: Sendable {
    enum Subject: Sendable {
        /// A payment, by its one identity.
        case payment(PaymentReference)
        /// An attempt at one.
        case attempt(PaymentAttempt)
    }

    enum Content: Sendable {
        case outcome(PaymentOutcome)
        case failure(PaymentError)
        /// Nothing was handed out for the payment from this device.
        case notBegun(PaymentError)
    }

    /// The name of the router's call.
    let call: String
    let subject: Subject
    let content: Content
    /// The device and process that received it; nil for a merchant, whose statements concern all devices.
    let doer: Doer?
    /// The number of the call, which is the moment at which it began.
    let begun: Int
    /// The moment of the statement.
    let told: Int
    /// The payment's own name, if it is about an intent: one of several to a payee.
    var name: PaymentReference?
    /// The device in whose journal a merchant's statement was looked up; nil for those of payers.
    var merchant: Int?
    /// The earliest moment at which it was made, if it was heard later; nil if it was heard at once.
    var earliest: Int?

    /// True if it states as final that no money moved.
    var isFinalNegative: Bool {
        guard case .outcome(let outcome) = content else { return false }
        if case .succeeded = outcome { return false }
        return outcome.isFinal
    }

    /// True if it states that this call, or this attempt, moved nothing.
    var deniesEffect: Bool {
        switch content {
        case .failure(let error): error.phase != .maybeSent
        case .notBegun: true
        case .outcome: false
        }
    }

    /// True if it states that this attempt moved nothing because another one has paid.
    var saysPaidElsewhere: Bool {
        if case .outcome(.declined(let reason)) = content { reason.code == .paidElsewhere } else { false }
    }

    /// True if it states that the payment was paid, and all of it refunded.
    var saysRefunded: Bool {
        if case .outcome(.declined(let reason)) = content { reason.code == .refunded } else { false }
    }

    var receipt: PaymentReceipt? {
        if case .outcome(.succeeded(let receipt)) = content { receipt.fact } else { nil }
    }

    /// A text for people.
    var description: String {
        switch content {
        case .outcome(let outcome): "\(call) said \(outcome)"
        case .notBegun(let error): "\(call) said that nothing was begun (\(error.code.rawValue): \(error.message))"
        case .failure(let error): "\(call) failed (\(error.phase.rawValue), \(error.code.rawValue): \(error.message))"
        }
    }
}
