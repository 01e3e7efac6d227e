import PaymentCore
import SandboxSupport

/// One step of a session: a line for people, and members for programs.
struct SessionEvent: Sendable {
    /// The kind: `route`, `quote`, `option`, `choice`, `step`, `done`, `retry`, `sign`, `does`, `settle`, `payee`,
    /// `note`.
    let label: String
    /// A sentence about it.
    let text: String
    /// The same as values: names, exact amounts with their unit, kinds of steps.
    var members: [String: JSONValue] = [:]

    init(_ label: String, _ text: String, _ members: [String: JSONValue] = [:]) {
        self.label = label
        self.text = text
        self.members = members
    }

    /// The object of `pay --json`.
    var json: [String: JSONValue] {
        members.merging(["event": .string(label), "message": .string(text)]) { _, own in own }
    }

    /// The members of an amount: exact in main units, with its unit apart; both null where it is open.
    static func amount(_ amount: Money?) -> [String: JSONValue] {
        [
            "amount": amount.map { .string($0.decimalText) } ?? .null,
            "unit": amount.map { .string($0.currency.mainUnit) } ?? .null,
        ]
    }
}
