/// What is promised to payers and merchants, in parts that can be checked one by one.
package enum Promise: String, Sendable, Hashable, CaseIterable {
    /// No payment is paid twice, no word contradicts the money, everything ends.
    case money
    /// The same where the payer's wallet has sent coins: no negative word of the service is believed then.
    case walletActs = "wallet-acts"
    /// The same for a payment whose link was used in several spellings: it is one payment.
    case spellings
    /// The same after an upgrade that renamed steps.
    case renamedSteps = "renamed-steps"
    /// The same with wrong clocks: the application's own clock says nothing final.
    case clocks
    /// The same at WalletConnect Pay where one copy of a confirmation was carried out and another one refused.
    case refusedCopies = "refused-copies"
    /// An attempt of which an error said that nothing was sent is not gone on with by somebody else.
    case abandonment
    /// A bare question for a payment's status is answered with what the journal knows in mind.
    case questions
    /// An attempt at a payment that another device has paid comes to an end, and says so.
    case otherDevices = "other-devices"
    /// What is called final stays true: a payment that was called expired, declined or cancelled is not paid later.
    case finality

    /// Those that are kept: all of them. One that is not would be looked for as well, and listed, but fail nothing.
    package static let kept: Set<Promise> = Set(allCases)
}

/// A promise that was broken.
package struct Breach: Sendable, Hashable {
    package let promise: Promise
    package let text: String
}
