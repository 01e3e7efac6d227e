/// What a scenario makes the sandbox do. Everything not said is as with an ordinary payment.
struct ScenarioPlan: Sendable {
    enum Ending: Sendable {
        case succeeded, failed, declined, unfamiliar
    }

    enum Pace: Sendable {
        case atOnce, ordinary, slow
    }

    /// What happens to the payment just before a confirmation would act.
    enum Interruption: Sendable {
        case expiry, cancellation
    }

    /// Whose data is asked for.
    enum DataDemand: Sendable {
        case none, everybody, ethereum
    }

    /// An error that is answered in place of the work.
    enum Refusal: Sendable {
        case rateLimited
        case serverErrorOnce
        case sanctioned(GatewayVerb)
        case routeExpired
    }

    let summary: String
    let outcome: WalletConnectPaySandbox.Scenario.Outcome
    var demands: Set<WalletConnectPaySandbox.Scenario.Demand> = []
    var status = PaymentRecord.Status.requiresAction
    var isOver = false
    var assets = Asset.usual
    var data = DataDemand.none
    var hasShortQuotes = false
    var refusal: Refusal?
    var interruption: Interruption?
    var pace = Pace.atOnce
    var ending = Ending.succeeded
}

extension WalletConnectPaySandbox.Scenario {
    var plan: ScenarioPlan {
        switch self {
        case .paidAtOnce:
            ScenarioPlan(summary: "settles as soon as it is confirmed", outcome: .paid)
        case .paidAfterPolling:
            ScenarioPlan(summary: "settles a little after it is confirmed", outcome: .paid, pace: .ordinary)
        case .expired:
            ScenarioPlan(summary: "its time is over", outcome: .expired, isOver: true)
        case .insufficientOptions:
            ScenarioPlan(summary: "the payer's accounts hold too little", outcome: .declined, assets: [])
        case .alreadyPaid:
            ScenarioPlan(summary: "somebody has paid it already", outcome: .paid, status: .succeeded)
        case .failsAfterConfirm:
            ScenarioPlan(
                summary: "fails after it is confirmed", outcome: .declined, pace: .ordinary, ending: .failed)
        case .declinedForCompliance:
            ScenarioPlan(
                summary: "this payer is refused after confirming", outcome: .declined, pace: .ordinary,
                ending: .declined)
        case .cancelledByMerchant:
            ScenarioPlan(summary: "the merchant has cancelled it", outcome: .cancelled, status: .cancelled)
        case .cancelledByUser:
            ScenarioPlan(
                summary: "cancelled on another device while being paid", outcome: .cancelled,
                interruption: .cancellation)
        case .expiresWhilePaying:
            ScenarioPlan(
                summary: "its time runs out while being paid", outcome: .expired, interruption: .expiry)
        case .quoteExpired:
            ScenarioPlan(
                summary: "the prices of its options are over at once", outcome: .error, hasShortQuotes: true)
        case .routeExpired:
            ScenarioPlan(
                summary: "the way for the money is gone when it is confirmed", outcome: .unknown, refusal: .routeExpired
            )
        case .sanctionedPayer:
            ScenarioPlan(
                summary: "this payer is refused at the first question", outcome: .declined,
                refusal: .sanctioned(.options))
        case .sanctionedAtConfirm:
            ScenarioPlan(
                summary: "this payer is refused when confirming", outcome: .declined, refusal: .sanctioned(.confirm))
        case .slowSettlement:
            ScenarioPlan(summary: "settles later than wallets wait", outcome: .pending, pace: .slow)
        case .unknownStatus:
            ScenarioPlan(
                summary: "ends in a state that no wallet knows", outcome: .unknown, pace: .ordinary,
                ending: .unfamiliar)
        case .unknownAction:
            ScenarioPlan(
                summary: "asks for something that no wallet knows", outcome: .error, assets: [.unfamiliarAction])
        case .rateLimited:
            ScenarioPlan(summary: "too many requests at first", outcome: .paid, refusal: .rateLimited)
        case .serverErrorOnce:
            ScenarioPlan(summary: "the service has a fault at first", outcome: .paid, refusal: .serverErrorOnce)
        case .dataCollection:
            ScenarioPlan(
                summary: "asks for data about the payer", outcome: .paid, demands: [.data], data: .everybody)
        case .dataForSomeOptions:
            ScenarioPlan(
                summary: "some options ask for data about the payer", outcome: .paid, data: .ethereum)
        case .buildAction:
            ScenarioPlan(summary: "what to sign has to be fetched", outcome: .paid, assets: [.payPalDollar])
        case .approvalAndPermit:
            ScenarioPlan(
                summary: "an approval on chain, then a signature", outcome: .paid, demands: [.transactions],
                assets: [.tetherWithApproval])
        case .nativeCoin:
            ScenarioPlan(
                summary: "the chain's own coin is sent", outcome: .paid, demands: [.transactions], assets: [.ether])
        case .solana:
            ScenarioPlan(summary: "paid on Solana", outcome: .paid, demands: [.solana], assets: [.solana])
        case .tron:
            ScenarioPlan(summary: "paid on Tron", outcome: .paid, demands: [.tron], assets: [.tron])
        }
    }
}
