extension WalletConnectPaySandbox {
    /// What a payment of the sandbox does.
    @nonexhaustive
    public enum Scenario: String, Sendable, Hashable, CaseIterable {
        /// Confirming settles it at once.
        case paidAtOnce = "paid-at-once"
        /// Confirming starts the settlement, which ends after some status queries.
        case paidAfterPolling = "paid-after-polling"
        /// Its time is already over.
        case expired
        /// The payer's accounts hold too little: there is no option.
        case insufficientOptions = "insufficient-options"
        /// Somebody has paid it.
        case alreadyPaid = "already-paid"
        /// Confirming leads to a failure.
        case failsAfterConfirm = "fails-after-confirm"
        /// Confirming leads to a failure because of this payer (`failureCode` `declined_user`).
        case declinedForCompliance = "declined-for-compliance"
        /// The merchant has cancelled it.
        case cancelledByMerchant = "cancelled-by-merchant"
        /// The payer cancels it elsewhere after the options are known.
        case cancelledByUser = "cancelled-by-user"
        /// Its time runs out after the options are known.
        case expiresWhilePaying = "expires-while-paying"
        /// The prices of its options are over at once (`quote_expired`).
        case quoteExpired = "quote-expired"
        /// The way that the money should have taken is gone (HTTP 409).
        case routeExpired = "route-expired"
        /// The service refuses this payer before anything else (`sanctioned_user`).
        case sanctionedPayer = "sanctioned-payer"
        /// The service refuses this payer when the payment is confirmed (`sanctioned_user`).
        case sanctionedAtConfirm = "sanctioned-at-confirm"
        /// The settlement takes longer than wallets usually wait.
        case slowSettlement = "slow-settlement"
        /// It ends in a state that the specification does not have.
        case unknownStatus = "unknown-status"
        /// Its only option wants something done that the specification does not have.
        case unknownAction = "unknown-action"
        /// The first requests are refused with HTTP 429.
        case rateLimited = "rate-limited"
        /// The first request for the options is answered with HTTP 500.
        case serverErrorOnce = "server-error-once"
        /// Every option asks for data about the payer.
        case dataCollection = "data-collection"
        /// The options on Ethereum ask for data about the payer, the others do not.
        case dataForSomeOptions = "data-for-some-options"
        /// Its only option has to be fetched before it can be signed.
        case buildAction = "build-action"
        /// Its only option has the payer approve the Permit2 contract on chain, then sign.
        case approvalAndPermit = "approval-and-permit"
        /// Its only option has the payer send the chain's own coin.
        case nativeCoin = "native-coin"
        /// Its only option is on Solana.
        case solana
        /// Its only option is on Tron.
        case tron
    }
}

extension WalletConnectPaySandbox.Scenario {
    /// How a payment ends, seen from the payer.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The money arrived.
        case paid
        /// The service refuses, or the payer has no means.
        case declined
        /// The payment's time ran out.
        case expired
        /// Somebody cancelled the payment.
        case cancelled
        /// Still settling when the payer's patience ends.
        case pending
        /// Nobody can tell yet.
        case unknown
        /// A request is refused in a way that says nothing about the payment: it stays open.
        case error
    }

    /// What a payer must be able to do, beyond signing typed data on EVM chains.
    @nonexhaustive
    public enum Demand: String, Sendable, Hashable, CaseIterable {
        /// Broadcast transactions (`eth_sendTransaction`).
        case transactions
        /// Hand in data about themselves.
        case data
        /// Have an account on Solana.
        case solana
        /// Have an account on Tron.
        case tron
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// How a payment of this kind ends for a payer who can do everything in ``demands`` and waits for a minute.
    ///
    /// A payer who cannot has no usable option, which ends ``Outcome/declined``.
    public var expectedOutcome: Outcome { plan.outcome }

    /// What the payer must be able to do, beyond signing typed data on EVM chains.
    public var demands: Set<Demand> { plan.demands }
}

extension WalletConnectPaySandbox {
    /// A payment that can be paid, or not, by its link.
    public struct Payment: Sendable, Hashable {
        /// The payment's id.
        public let id: String
        /// The link that a buyer would scan: on the real service's host, as the real service makes them.
        public let link: String
        /// What it does.
        public let scenario: Scenario
    }
}
