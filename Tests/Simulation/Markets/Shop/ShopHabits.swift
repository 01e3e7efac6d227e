package import PaymentCore

/// What ``ShopProvider`` can get wrong. Mistakes are planted here: for histories, and for the conformance kit.
package struct ShopHabits: Sendable {
    /// Whether all spellings of a link are one payment.
    package var foldsSpellings = true
    /// Whether a question that was refused is taken for the service's answer.
    package var trustsRefusedQuestions = false
    /// Whether a charge that is refused as a repetition, or for coming too often, is taken for one that did nothing.
    package var trustsRefusedCopies = false
    /// How the wallet's sending of coins is declared; nil when nothing is paid by wallet.
    package var wallet: StepKind?
    /// What is done wrong where something comes from outside.
    package var mistakes: Set<ShopMistake> = []

    /// As it has to be declared: an act of the payer's wallet that the service does not see.
    package static let walletAct: StepKind = .walletTransfer

    /// No mistakes but these.
    package init(wallet: StepKind? = nil, mistakes: Set<ShopMistake> = []) {
        self.wallet = wallet
        self.mistakes = mistakes
    }
}

/// What can be done wrong with returns, refunds, cancellations and notifications.
package enum ShopMistake: String, Sendable, CaseIterable {
    /// Whoever comes back has paid.
    case believesReturns = "a return is taken for a payment"
    /// The payment that a return names is taken for the one under way.
    case mixesReturns = "another payment's return is taken for this one's"
    /// Nothing is sent, and the refund is called made.
    case refundsUnsent = "a refund is called made, and nothing is sent"
    /// Each request for a refund has a number of its own.
    case refundsAnew = "the number of a refund is drawn anew"
    /// Whatever the service says it has given back is what was asked for.
    case refundsUnchecked = "the answer to a refund is not compared with it"
    /// A refund that the service refused as such is taken for made.
    case refundsHopefully = "a refund that is refused is taken for made"
    /// Nothing is sent, and the payment is called cancelled.
    case cancelsUnasked = "a payment is called cancelled, and nothing is sent"
    /// Each request to call a payment off has a number of its own.
    case cancelsAnew = "the number of a cancellation is drawn anew"
    /// A payment is cancelled when the service has answered, whatever it answered.
    case cancelsBlindly = "the answer to a cancellation is not read"
    /// Nobody looks at signatures.
    case takesForgeries = "a notification's signature is not checked"
    /// The secret of the test environment is good, too.
    case trustsTestSecret = "a notification signed with the test secret is believed"
    /// Nobody looks at dates.
    case ignoresAge = "a notification is believed however old it is"
    /// A notification that comes again is refused.
    case refusesRepetitions = "a notification that comes again is refused"
}
