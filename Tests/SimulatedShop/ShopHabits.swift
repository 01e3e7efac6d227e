package import PaymentCore

/// The possible mistakes of ``ShopProvider``. They are planted here: for histories, and for the conformance kit.
package struct ShopHabits: Sendable {
    /// True if all spellings of a link are one payment.
    package var foldsSpellings = true
    /// True if a refused inquiry is taken as the service's answer.
    package var trustsRefusedQuestions = false
    /// True if a charge that is refused as a repetition, or for its rate, is taken as one without effect.
    package var trustsRefusedCopies = false
    /// The declared kind of the wallet's transfer of coins; nil if nothing is paid by wallet.
    package var wallet: StepKind?
    /// True if a refund of any payment that has the requested one's number is taken as that one.
    package var knowsRefundsByNumber = false
    /// True if a refund's number at the service is drawn once in each attempt, instead of being the request's.
    package var numbersRefundsByAttempt = false
    /// The mistakes with input from outside.
    package var mistakes: Set<ShopMistake> = []

    /// The right declaration: an act of the payer's wallet that the service does not see.
    package static let walletAct: StepKind = .walletTransfer

    /// No mistakes but these.
    package init(wallet: StepKind? = nil, mistakes: Set<ShopMistake> = []) {
        self.wallet = wallet
        self.mistakes = mistakes
    }
}

/// The possible mistakes with returns, captures, refunds, cancellations and notifications.
package enum ShopMistake: String, Sendable, CaseIterable {
    /// Every returning payer counts as having paid.
    case believesReturns = "a return is taken for a payment"
    /// The payment of a return is taken as the one in progress.
    case mixesReturns = "another payment's return is taken for this one's"
    /// Nothing is sent, and the refund is reported as made.
    case refundsUnsent = "a refund is called made, and nothing is sent"
    /// Each request for a refund has a new number.
    case refundsAnew = "the number of a refund is drawn anew"
    /// Any refund in the service's answer is taken as the requested one.
    case refundsUnchecked = "the answer to a refund is not compared with it"
    /// A refused refund is taken as made.
    case refundsHopefully = "a refund that is refused is taken for made"
    /// Nothing is sent, and the capture is reported as made.
    case capturesUnsent = "a capture is called made, and nothing is sent"
    /// Each request for a capture has a new number.
    case capturesAnew = "the number of a capture is drawn anew"
    /// Any collection in the service's answer is taken as the requested one.
    case capturesUnchecked = "the answer to a capture is not compared with it"
    /// Nothing is sent, and the payment is reported as cancelled.
    case cancelsUnasked = "a payment is called cancelled, and nothing is sent"
    /// Each request to cancel a payment has a new number.
    case cancelsAnew = "the number of a cancellation is drawn anew"
    /// Any answer of the service counts as a cancellation.
    case cancelsBlindly = "the answer to a cancellation is not read"
    /// Signatures are not checked.
    case takesForgeries = "a notification's signature is not checked"
    /// The secret of the test environment is accepted, too.
    case trustsTestSecret = "a notification signed with the test secret is believed"
    /// Dates are not checked.
    case ignoresAge = "a notification is believed however old it is"
    /// A repeated notification is refused.
    case refusesRepetitions = "a notification that comes again is refused"
}
