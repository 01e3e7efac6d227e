package import PaymentCore
package import PaymentLoopback
package import PaymentTesting

/// A vendor's simulated service, as the sandbox's home and the command line list and serve it.
package protocol ListedService: Sendable {
    /// A short name for addresses and programs, such as `citcon`: that of the provider that pays at it.
    nonisolated var id: String { get }
    /// The service's name for people.
    nonisolated var title: String { get }
    /// The facts that a merchant's server needs to play its part, or nil if there are none.
    nonisolated var hint: String? { get }
    /// The scenarios that it can show.
    nonisolated var scenarios: [SimulatedScenario] { get }
    /// The scenarios of a dishonest gateway: nothing of them may be signed or paid.
    nonisolated var tampered: [SimulatedScenario] { get }
    /// The pages that belong to no payment in particular.
    nonisolated var pages: [ListedPage] { get }
    /// The currency of another amount than the scenario's own unless another is chosen: three letters of ISO 4217. Nil
    /// if its payments take no other amount.
    nonisolated var currency: String? { get }
    /// Texts that show how its links are read.
    nonisolated var examples: [ListedExample] { get }
    /// The fixed ports where clients of its testnet look for it, or nil if there are none.
    nonisolated var testnet: ListedTestnet? { get }
    /// The events so far.
    var ledger: SandboxLedger { get async }

    /// Returns the services that answer, each with its paths. Called once for an address that serves it.
    nonisolated func routes() -> [SharedAddress.Tenant]
    /// Makes a payment that behaves as the scenario of this name says, at a sandbox served at `base`. Returns nil if
    /// there is no such scenario, or if it does not allow the amount.
    func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment?
    /// Returns the payment that a part of a request stands for, such as a token, or nil for other parts.
    func payment(named word: String) async -> String?
    /// Returns what a payment asks for.
    func facts(of payment: String) async -> ListedFacts
    /// Returns the pages that people see of a payment.
    func pages(of payment: String) async -> [ListedPage]
    /// Returns the notifications from the one at `index` on, oldest first. Returns nil if merchants' servers are not
    /// notified at all.
    func notifications(from index: Int) async -> [SentNotification]?
    /// Sends the newest notification about `payment` again, as services do, and returns it with its result. Returns nil
    /// if there is none, or no receiver.
    func notifyAgain(about payment: String) async -> SentNotification?
    /// Ends the payments that have expired on the clock in the meantime.
    func expire() async
    /// Ends the work in the background for its payments.
    func close() async
}

extension ListedService {
    package nonisolated var hint: String? { nil }
    package nonisolated var tampered: [SimulatedScenario] { [] }
    package nonisolated var pages: [ListedPage] { [] }
    package nonisolated var currency: String? { "USD" }
    package nonisolated var examples: [ListedExample] { [] }
    package nonisolated var testnet: ListedTestnet? { nil }
    /// The scenarios that it can show, with or without those of a dishonest gateway.
    package nonisolated func listed(tampered isShown: Bool) -> [SimulatedScenario] {
        scenarios + (isShown ? tampered : [])
    }

    package func notifications(from index: Int) async -> [SentNotification]? { nil }
    package func notifyAgain(about payment: String) async -> SentNotification? { nil }
    package func expire() async {}
    package func close() async {}
}

/// The fixed ports of a testnet on this machine.
package struct ListedTestnet: Sendable {
    /// The port of the whole sandbox.
    package let port: UInt16
    /// The ports of its parts, each with the path at the sandbox that the part's root stands for: `""` for its own.
    package let parts: [(port: UInt16, path: String)]

    package init(port: UInt16, parts: [(port: UInt16, path: String)]) {
        self.port = port
        self.parts = parts
    }
}

/// A payment that can be tried.
package struct SandboxPayment: Sendable, Hashable {
    /// The id in the ledger.
    package let id: String
    package let scenario: String
    package let summary: String
    /// The link that pays it.
    package let link: String
    /// True if the link proves where it leads. A link that openly leads to this machine does not.
    package let isTrusted: Bool
    /// The number of satoshi to pay if the link leaves it open.
    package let satoshi: UInt64?
    /// True if the payee is asked for an invoice over a private channel.
    package let isPrivate: Bool

    package init(
        id: String, scenario: String, summary: String, link: String, isTrusted: Bool = true, satoshi: UInt64? = nil,
        isPrivate: Bool = false
    ) {
        self.id = id
        self.scenario = scenario
        self.summary = summary
        self.link = link
        self.isTrusted = isTrusted
        self.satoshi = satoshi
        self.isPrivate = isPrivate
    }

    /// Returns the command that pays it at the sandbox served at `base`, to be pasted into a shell.
    package func command(_ program: String, at base: String) -> String {
        "\(program) pay '\(link)' --sandbox \(base)" + (isTrusted ? "" : " --trust-host")
            + (isPrivate ? " --private" : "") + (satoshi.map { " --amount \($0)" } ?? "")
    }
}

/// The payee and the price of a payment, as far as its service knows them.
package struct ListedFacts: Sendable, Hashable {
    /// The payee's name.
    package var payee: String?
    /// The price, or nil if the payer chooses it.
    package var amount: Money?
    /// A word for it, if the page did not make it from a scenario.
    package var kind: String?
    /// The payment as every payer may pay it, or nil if its maker alone knows its link.
    package var payable: SandboxPayment?

    package init(
        payee: String? = nil, amount: Money? = nil, kind: String? = nil, payable: SandboxPayment? = nil
    ) {
        self.payee = payee
        self.amount = amount
        self.kind = kind
        self.payable = payable
    }
}

/// A text that a scanner or a deep link may bring.
package struct ListedExample: Sendable, Hashable {
    package let title: String
    package let text: String

    package init(_ title: String, _ text: String) {
        self.title = title
        self.text = text
    }
}

/// A page of a service, for people.
package struct ListedPage: Sendable, Hashable {
    package let title: String
    /// The path, from the sandbox's root.
    package let path: String

    package init(_ title: String, _ path: String) {
        self.title = title
        self.path = path
    }
}

/// A notification to a merchant's server.
package struct SentNotification: Sendable, Hashable {
    package let payment: String
    /// The kind, in the service's terms.
    package let kind: String
    /// The number of times that it was sent.
    package let attempts: Int
    package let isDelivered: Bool
    /// True if there is a receiver.
    package let isSent: Bool

    /// True if it changes no more.
    package var isSettled: Bool { isDelivered || !isSent }

    package init(payment: String, kind: String, attempts: Int, isDelivered: Bool, isSent: Bool) {
        self.payment = payment
        self.kind = kind
        self.attempts = attempts
        self.isDelivered = isDelivered
        self.isSent = isSent
    }
}

extension PaymentClock {
    /// Sends a notification, and again after each pause, until it is accepted, the pauses are used up, or the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - pauses: the waits between one attempt and the next.
    ///   - send: sends it once, and returns true if it was accepted.
    package func deliver(
        isolation: isolated (any Actor)? = #isolation, repeatingAfter pauses: [Duration], send: () async -> Bool
    ) async {
        if await send() { return }
        for pause in pauses {
            do { try await sleep(for: pause) } catch { return }
            if await send() { return }
        }
    }
}
