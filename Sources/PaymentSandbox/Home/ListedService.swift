package import PaymentCore
package import PaymentTesting

/// A simulated service as the sandbox's home shows it.
package protocol ListedService: Sendable {
    /// A short name for addresses and programs, such as `citcon`.
    var id: String { get }
    /// The service's name for people.
    var title: String { get }
    /// What a merchant's server has to know to play its part.
    var hint: String? { get }
    /// What it can show.
    var scenarios: [ListedScenario] { get }
    /// What happened so far.
    var ledger: SandboxLedger { get async }
    /// What else can be asked of it; nil where there is nothing.
    var office: (any BackOffice)? { get }
    /// Whether payments can be made over another amount than the scenario's own.
    var takesAmounts: Bool { get }

    /// Makes a payment that behaves as the scenario of this name says, at a sandbox served at `base`; nil when there is no
    /// such scenario, or it has an amount of its own.
    func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment?
}

/// A thing that a service can show.
package struct ListedScenario: Sendable, Hashable {
    package let name: String
    /// What it shows, for people.
    package let summary: String
    /// How it ends, in a word; scenarios that end alike stand together.
    package let group: String

    package init(name: String, summary: String, group: String) {
        self.name = name
        self.summary = summary
        self.group = group
    }
}

/// A payment that can be tried.
package struct SandboxPayment: Sendable, Hashable {
    /// What the ledger calls it.
    package let id: String
    package let scenario: String
    package let summary: String
    /// The link that pays it.
    package let link: String
    /// Whether the link proves where it leads. One that leads to this machine, and says so, does not.
    package let isTrusted: Bool
    /// How many satoshi to pay where the link leaves it open.
    package let satoshi: UInt64?
    /// Whether it shows what becomes of who asks the payee privately.
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

    /// The command that pays it at the sandbox served at `base`, to be pasted into a shell.
    package func command(_ program: String, at base: String) -> String {
        "\(program) pay '\(link)' --sandbox \(base)" + (isTrusted ? "" : " --trust-host")
            + (isPrivate ? " --private" : "") + (satoshi.map { " --amount \($0)" } ?? "")
    }
}

/// What the sandbox's home asks a service beside its ledger.
package protocol BackOffice: Sendable {
    /// The payment that a word in a request stands for, such as a token; nil for other words.
    func payment(named word: String) async -> String?
    /// The pages that people see of a payment, and where they are.
    func pages(of payment: String) async -> [ListedPage]
    /// The notifications from the one at `index` on, oldest first.
    func notifications(from index: Int) async -> [SentNotification]
    /// Whether merchants' servers are notified at all.
    nonisolated var notifies: Bool { get }
    /// Sends the newest notification about `payment` once more, as services do, and returns it with what became of that;
    /// nil when there is none, or nobody to send it to.
    func notifyAgain(about payment: String) async -> SentNotification?
    /// Looks at the clock: what has run out meanwhile is over.
    func lookAtTheClock() async
}

/// A page of a service that people see.
package struct ListedPage: Sendable, Hashable {
    package let title: String
    /// From the sandbox's root.
    package let path: String

    package init(_ title: String, _ path: String) {
        self.title = title
        self.path = path
    }
}

/// A notification to a merchant's server.
package struct SentNotification: Sendable, Hashable {
    package let payment: String
    /// What it tells, in the service's word.
    package let kind: String
    /// How often it was sent.
    package let attempts: Int
    package let isDelivered: Bool
    /// Whether anybody is to get it.
    package let isSent: Bool

    /// Whether nothing changes about it any more.
    var isSettled: Bool { isDelivered || !isSent }

    package init(payment: String, kind: String, attempts: Int, isDelivered: Bool, isSent: Bool) {
        self.payment = payment
        self.kind = kind
        self.attempts = attempts
        self.isDelivered = isDelivered
        self.isSent = isSent
    }
}

/// What the program that serves the sandbox's home lends it: its own router, its own payer, its own QR codes. So the page
/// says what the command line says.
package protocol SandboxDesk: Sendable {
    /// Says what a text is. Nothing is sent for it.
    func read(_ text: String) -> TextReading
    /// Reads the codes in a picture file, of which there is one at least.
    func texts(in picture: [UInt8]) throws(PictureProblem) -> [String]
    /// Draws a text as a QR code, as an SVG document; nil when it is too long.
    func picture(of text: String) -> String?
    /// Pays as a simulated payer at the sandbox served at `base`, and tells each step.
    ///
    /// - Returns: how it ended, with the journal's view of it.
    func pay(
        _ payment: SandboxPayment, at base: HTTPURL, tell: @escaping @Sendable (_ label: String, _ text: String) -> Void
    ) async -> PaidReport
}

/// Why no code was read from a picture, in words for people.
package struct PictureProblem: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}

/// How a payment ended for the payer.
package struct PaidReport: Sendable, Hashable {
    /// `succeeded`, `declined`, …
    package let outcome: String
    package let reason: String
    /// The journal's entries, in words.
    package let journal: [String]

    package init(outcome: String, reason: String, journal: [String]) {
        self.outcome = outcome
        self.reason = reason
        self.journal = journal
    }
}

/// What a text is, made safe to show: no control characters, nothing that changes the direction of writing.
package struct TextReading: Sendable {
    /// The text, as far as it may be shown.
    package var shown = ""
    package var decision = ""
    package var provider: String?
    package var standard: String?
    package var candidates: [String] = []
    package var role: String?
    /// `verified` or `unverified`.
    package var trust: String?
    package var reference: String?
    package var reason = ""
    /// Why nothing can be done with it.
    package var error: String?
    /// Explains the host that it only resembles.
    package var lookAlike: String?
    package var fields: [(name: String, value: String)] = []
    package var warnings: [(name: String, words: String)] = []
    /// Whether it holds a secret, and is neither shown whole nor drawn.
    package var hidesSecret = false

    package init() {}

    /// As programs read it: the members of `payroute inspect --json`, with the warnings.
    var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "input": .string(shown), "decision": .string(decision), "provider": text(provider),
            "standard": text(standard), "candidates": .array(candidates.map { .string($0) }), "role": text(role),
            "trust": text(trust), "reference": text(reference), "reason": .string(reason), "error": text(error),
            "valid": .bool(error == nil), "resembles": text(lookAlike),
            "fields": .object(Dictionary(fields.map { ($0.name, .string($0.value)) }) { first, _ in first }),
            "warnings": .array(warnings.map { .string($0.name) }),
        ]
    }
}
