import PaymentCore
import PaymentSandbox
import PaymentTesting

/// What is paid in the demonstration: a service and what it does.
struct DemoPayment {
    let provider: ProviderID
    let scenario: String

    static func walletConnectPay(_ scenario: WalletConnectPaySandbox.Scenario) -> DemoPayment {
        DemoPayment(provider: "walletconnect-pay", scenario: scenario.rawValue)
    }

    static func citcon(_ scenario: CitconSandbox.Scenario) -> DemoPayment {
        DemoPayment(provider: "citcon", scenario: scenario.rawValue)
    }

    static func paykit(_ scenario: String) -> DemoPayment { DemoPayment(provider: "paykit", scenario: scenario) }

    static func payrails(_ scenario: PayrailsSandbox.Scenario) -> DemoPayment {
        DemoPayment(provider: "payrails", scenario: scenario.rawValue)
    }
}

/// One payment of the demonstration: what is done, what the command line must say, and what must be true of the money.
struct DemoScenario {
    let title: String
    let payment: DemoPayment
    var choice = PaymentSession.Choice.first
    /// Whether the answer to the confirmation is lost on its way back.
    var losesAnswer = false
    /// Whether the link is paid a second time.
    var isPaidTwice = false
    let ending: PaymentResult.Ending
    /// How often money must have been taken.
    let captures: Int
    /// The last thing that the ledger must say.
    let lastEvent: LedgerWord

    static let all = [
        DemoScenario(
            title: "paid at once", payment: .walletConnectPay(.paidAtOnce), ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "paid after polling", payment: .walletConnectPay(.paidAfterPolling), ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "answer lost on the way", payment: .walletConnectPay(.paidAfterPolling), losesAnswer: true,
            ending: .succeeded,
            captures: 1, lastEvent: .settled),
        DemoScenario(
            title: "same link paid twice", payment: .walletConnectPay(.paidAtOnce), isPaidTwice: true,
            ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "payer declines", payment: .walletConnectPay(.paidAtOnce), choice: .none, ending: .cancelled,
            captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "payment expired", payment: .walletConnectPay(.expired), ending: .expired, captures: 0,
            lastEvent: .expired),
        DemoScenario(
            title: "too little money", payment: .walletConnectPay(.insufficientOptions), ending: .declined, captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "already paid", payment: .walletConnectPay(.alreadyPaid), ending: .succeeded, captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "cancelled by merchant", payment: .walletConnectPay(.cancelledByMerchant), ending: .cancelled,
            captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "fails after confirming", payment: .walletConnectPay(.failsAfterConfirm), ending: .declined,
            captures: 1,
            lastEvent: .failed),
        DemoScenario(
            title: "refused for compliance", payment: .walletConnectPay(.declinedForCompliance), ending: .declined,
            captures: 1,
            lastEvent: .failed),
        DemoScenario(
            title: "WeChat Pay", payment: .citcon(.wechatPay), ending: .succeeded, captures: 1, lastEvent: .settled),
        DemoScenario(
            title: "payer stays in the wallet", payment: .citcon(.interrupted), ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "payer gives up in Alipay", payment: .citcon(.cancelledInAlipay), ending: .cancelled, captures: 0,
            lastEvent: .cancelled),
        DemoScenario(
            title: "payment page in Korea", payment: .citcon(.toss), ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "money set aside", payment: .citcon(.authorizeOnly), ending: .succeeded, captures: 0,
            lastEvent: .authorized),
        DemoScenario(
            title: "card refused", payment: .citcon(.declined), ending: .declined, captures: 0, lastEvent: .failed),
        DemoScenario(
            title: "stored card", payment: .payrails(.paid), ending: .succeeded, captures: 1, lastEvent: .captured),
        DemoScenario(
            title: "the bank asks the payer", payment: .payrails(.challenge), ending: .succeeded, captures: 1,
            lastEvent: .captured),
        DemoScenario(
            title: "declined, then said pending", payment: .payrails(.declinedThenPending), ending: .declined,
            captures: 0, lastEvent: .failed),
        DemoScenario(
            title: "answer that cannot be read", payment: .payrails(.garbledAnswer), ending: .succeeded, captures: 1,
            lastEvent: .captured),
        DemoScenario(
            title: "somebody on the Pubky network", payment: .paykit("ready"), ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "same invoice paid twice", payment: .paykit("invoice"), isPaidTwice: true, ending: .succeeded,
            captures: 1, lastEvent: .settled),
        DemoScenario(
            title: "Lightning invoice by itself", payment: .paykit("bare-invoice"), ending: .succeeded, captures: 1,
            lastEvent: .settled),
    ]

    /// Whether what the command line says and what the sandbox knows are both as they must be.
    func agrees(_ ending: PaymentResult.Ending, _ ledger: SandboxLedger, payment: String) -> Bool {
        ending == self.ending && ledger.captures(of: payment) == captures
            && ledger.events(of: payment).last.map(LedgerWord.init) == lastEvent
    }
}
