extension WalletConnectPaySandbox {
    /// A payment's behaviour: a name, a summary, the expected end, and what the sandbox does.
    ///
    /// Equal names are equal scenarios.
    public struct Scenario: RawRepresentable, CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The end of a payment, as seen by the payer.
        @nonexhaustive
        public enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// The money arrived.
            case paid
            /// The service refuses, or the payer has no means.
            case declined
            /// The payment expired.
            case expired
            /// The payment was cancelled.
            case cancelled
            /// The payment is still in settlement when the payer's wait ends.
            case pending
            /// The outcome is unknown.
            case unknown
            /// A request is rejected in a way that says nothing about the payment, which stays open.
            case error
        }

        /// An ability that a payer needs, beyond signing typed data on EVM chains.
        @nonexhaustive
        public enum Demand: String, Sendable, Hashable, CaseIterable {
            /// Broadcast transactions (`eth_sendTransaction`).
            case transactions
            /// Submit data about themselves.
            case data
            /// Have an account on Solana.
            case solana
            /// Have an account on Tron.
            case tron
        }

        /// The name on the command line.
        public let rawValue: String
        /// A short human-readable description.
        public let summary: String
        /// The end that the service reports to a payer who can do everything in ``demands`` and waits for a minute.
        ///
        /// A payer without these abilities has no usable option, which ends ``Outcome/declined``.
        public let expectedOutcome: Outcome
        let plan: Plan

        init(_ name: String, _ summary: String, ends outcome: Outcome = .paid, _ plan: Plan = Plan()) {
            (rawValue, self.summary, expectedOutcome, self.plan) = (name, summary, outcome, plan)
        }

        /// Finds the scenario with a name; nil if there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        /// The abilities that the payer needs, beyond signing typed data on EVM chains.
        public var demands: Set<Demand> { plan.demands }
        /// The end that a router states when the service has reported ``expectedOutcome``: a refusal that comes after
        /// the payer's signature is ``Outcome/unknown`` for as long as that signature still pays.
        public var statedOutcome: Outcome { plan.refusesSigned ? .unknown : expectedOutcome }
        /// The name.
        public var description: String { rawValue }
    }
}

extension WalletConnectPaySandbox.Scenario {
    /// The sandbox's part in a scenario. The default of each member is that of an ordinary payment.
    struct Plan: Sendable {
        enum Ending: Sendable {
            case succeeded, failed, declined, unfamiliar
        }

        enum Pace: Sendable {
            case atOnce, ordinary, slow, never
        }

        /// An event just before a confirmation would act.
        enum Interruption: Sendable {
            case expiry, cancellation
        }

        /// The payers who have to submit data.
        enum DataDemand: Sendable {
            case none, everybody, ethereum
        }

        /// An error in place of the work.
        enum Refusal: Sendable {
            case rateLimited
            case serverErrorOnce
            case sanctioned(GatewayVerb)
            case routeExpired
        }

        var demands: Set<Demand> = []
        var status = PaymentRecord.Status.requiresAction
        var isOver = false
        var assets = Asset.usual
        var data = DataDemand.none
        var hasShortQuotes = false
        var refusal: Refusal?
        var interruption: Interruption?
        var pace = Pace.atOnce
        var ending = Ending.succeeded

        /// True if the service refuses a payment after it has received the payer's signature.
        var refusesSigned: Bool {
            if case .sanctioned(.confirm) = refusal { return true }
            return interruption != nil || [.failed, .declined].contains(ending)
        }
    }

    /// The confirmation settles it at once.
    public static let paidAtOnce = Self("paid-at-once", "settles as soon as it is confirmed")
    /// The confirmation starts the settlement, which ends after some status queries.
    public static let paidAfterPolling = Self(
        "paid-after-polling", "settles a little after it is confirmed", .init(pace: .ordinary))
    /// The payment has already expired.
    public static let expired = Self("expired", "its time is over", ends: .expired, .init(isOver: true))
    /// The payer's accounts hold too little: there is no option.
    public static let insufficientOptions = Self(
        "insufficient-options", "the payer's accounts hold too little", ends: .declined, .init(assets: []))
    /// Another payer has paid it.
    public static let alreadyPaid = Self("already-paid", "another payer has paid it already", .init(status: .succeeded))
    /// The payment fails after the confirmation.
    public static let failsAfterConfirm = Self(
        "fails-after-confirm", "fails after it is confirmed", ends: .declined, .init(pace: .ordinary, ending: .failed))
    /// The payment fails after the confirmation because of this payer (`failureCode` `declined_user`).
    public static let declinedForCompliance = Self(
        "declined-for-compliance", "this payer is refused after confirming", ends: .declined,
        .init(pace: .ordinary, ending: .declined))
    /// The merchant has cancelled it.
    public static let cancelledByMerchant = Self(
        "cancelled-by-merchant", "the merchant has cancelled it", ends: .cancelled, .init(status: .cancelled))
    /// The payer cancels it elsewhere after the options are known.
    public static let cancelledByUser = Self(
        "cancelled-by-user", "cancelled on another device while being paid", ends: .cancelled,
        .init(interruption: .cancellation))
    /// The payment expires after the options are known.
    public static let expiresWhilePaying = Self(
        "expires-while-paying", "its time runs out while being paid", ends: .expired, .init(interruption: .expiry))
    /// The prices of its options expire at once (`quote_expired`).
    public static let quoteExpired = Self(
        "quote-expired", "the prices of its options are over at once", ends: .error, .init(hasShortQuotes: true))
    /// The route of the money is closed (HTTP 409).
    public static let routeExpired = Self(
        "route-expired", "the way for the money is gone when it is confirmed", ends: .unknown,
        .init(refusal: .routeExpired))
    /// The service refuses this payer at the request for options (`sanctioned_user`).
    public static let sanctionedPayer = Self(
        "sanctioned-payer", "this payer is refused at the first question", ends: .declined,
        .init(refusal: .sanctioned(.options)))
    /// The service refuses this payer at the confirmation (`sanctioned_user`).
    public static let sanctionedAtConfirm = Self(
        "sanctioned-at-confirm", "this payer is refused when confirming", ends: .declined,
        .init(refusal: .sanctioned(.confirm)))
    /// The settlement takes longer than wallets usually wait.
    public static let slowSettlement = Self(
        "slow-settlement", "settles later than wallets wait", ends: .pending, .init(pace: .slow))
    /// It ends in a state that the specification does not have.
    public static let unknownStatus = Self(
        "unknown-status", "ends in a state that no wallet knows", ends: .unknown,
        .init(pace: .ordinary, ending: .unfamiliar))
    /// Its only option has an action that the specification does not have.
    public static let unknownAction = Self(
        "unknown-action", "asks for something that no wallet knows", ends: .error, .init(assets: [.unfamiliarAction]))
    /// The first requests are refused with HTTP 429.
    public static let rateLimited = Self("rate-limited", "too many requests at first", .init(refusal: .rateLimited))
    /// The first request for the options is answered with HTTP 500.
    public static let serverErrorOnce = Self(
        "server-error-once", "the service has a fault at first", .init(refusal: .serverErrorOnce))
    /// Every option requires data about the payer.
    public static let dataCollection = Self(
        "data-collection", "asks for data about the payer", .init(demands: [.data], data: .everybody))
    /// The options on Ethereum require data about the payer, the others do not.
    public static let dataForSomeOptions = Self(
        "data-for-some-options", "some options ask for data about the payer", .init(data: .ethereum))
    /// Its only option has to be fetched before it can be signed.
    public static let buildAction = Self(
        "build-action", "what to sign has to be fetched", .init(assets: [.payPalDollar]))
    /// Its only option requires the payer to approve the Permit2 contract on chain, then to sign.
    public static let approvalAndPermit = Self(
        "approval-and-permit", "an approval on chain, then a signature",
        .init(demands: [.transactions], assets: [.tetherWithApproval]))
    /// Its only option requires the payer to send the chain's own coin.
    public static let nativeCoin = Self(
        "native-coin", "the chain's own coin is sent", .init(demands: [.transactions], assets: [.ether]))
    /// Its only option is on Solana.
    public static let solana = Self("solana", "paid on Solana", .init(demands: [.solana], assets: [.solana]))
    /// Its only option is on Tron.
    public static let tron = Self("tron", "paid on Tron", .init(demands: [.tron], assets: [.tron]))

    /// Every scenario.
    public static let allCases: [Self] = [
        .paidAtOnce, .paidAfterPolling, .expired, .insufficientOptions, .alreadyPaid, .failsAfterConfirm,
        .declinedForCompliance, .cancelledByMerchant, .cancelledByUser, .expiresWhilePaying, .quoteExpired,
        .routeExpired, .sanctionedPayer, .sanctionedAtConfirm, .slowSettlement, .unknownStatus, .unknownAction,
        .rateLimited, .serverErrorOnce, .dataCollection, .dataForSomeOptions, .buildAction, .approvalAndPermit,
        .nativeCoin, .solana, .tron,
    ]
}

extension WalletConnectPaySandbox {
    /// A payment with a link. Its scenario decides if it can be paid.
    public struct Payment: Sendable, Hashable {
        /// The payment's id.
        public let id: String
        /// The link that a buyer would scan, in the real service's form, with the real service's host.
        public let link: String
        /// The payment's behaviour.
        public let scenario: Scenario
    }
}
