import PaymentSandbox

/// One payment of the demonstration: what is done, what the command line must say, and what must be true of the money.
struct DemoScenario {
    let title: String
    let scenario: WalletConnectPaySandbox.Scenario
    var choice = PaymentSession.Choice.first
    /// Whether the answer to the confirmation is lost on its way back.
    var losesAnswer = false
    /// Whether the link is paid a second time.
    var isPaidTwice = false
    let ending: PaymentResult.Ending
    /// How often money must have been taken.
    let captures: Int
    /// The last thing that the ledger must say.
    let lastEvent: SandboxLedger.Event

    static let all = [
        DemoScenario(
            title: "paid at once", scenario: .paidAtOnce, ending: .succeeded, captures: 1, lastEvent: .settled),
        DemoScenario(
            title: "paid after polling", scenario: .paidAfterPolling, ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "answer lost on the way", scenario: .paidAfterPolling, losesAnswer: true, ending: .succeeded,
            captures: 1, lastEvent: .settled),
        DemoScenario(
            title: "same link paid twice", scenario: .paidAtOnce, isPaidTwice: true, ending: .succeeded, captures: 1,
            lastEvent: .settled),
        DemoScenario(
            title: "payer declines", scenario: .paidAtOnce, choice: .none, ending: .cancelled, captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "payment expired", scenario: .expired, ending: .expired, captures: 0, lastEvent: .expired),
        DemoScenario(
            title: "too little money", scenario: .insufficientOptions, ending: .declined, captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "already paid", scenario: .alreadyPaid, ending: .succeeded, captures: 0, lastEvent: .created),
        DemoScenario(
            title: "cancelled by merchant", scenario: .cancelledByMerchant, ending: .cancelled, captures: 0,
            lastEvent: .created),
        DemoScenario(
            title: "fails after confirming", scenario: .failsAfterConfirm, ending: .declined, captures: 1,
            lastEvent: .failed),
        DemoScenario(
            title: "refused for compliance", scenario: .declinedForCompliance, ending: .declined, captures: 1,
            lastEvent: .failed),
    ]

    /// Whether what the command line says and what the sandbox knows are both as they must be.
    func agrees(_ ending: PaymentResult.Ending, _ ledger: SandboxLedger, payment: String) -> Bool {
        ending == self.ending && ledger.captures(of: payment) == captures
            && ledger.events(of: payment).last == lastEvent
    }
}
