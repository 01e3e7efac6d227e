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
    /// The same with wrong clocks: the application's clock decides nothing final, but that a signature's time is over.
    case clocks
    /// The same where one copy of a request was carried out and another one refused.
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
    /// refusal of the service is true beside what only the lost records knew. All other payments are as if nothing had
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
