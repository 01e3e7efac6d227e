import PaymentCore
import PaymentReview
import SandboxSupport

/// One step of a session: a line for people, and members for programs.
struct SessionEvent: Sendable {
    /// The kind: `route`, `quote`, `option`, `choice`, `step`, `done`, `retry`, `sign`, `does`, `settle`, `payee`,
    /// `note`.
    let label: String
    /// Sentences about it, for people a line each.
    let lines: [String]
    /// The same as values: names, exact amounts with their unit, kinds of steps.
    var members: [String: JSONValue] = [:]

    init(_ label: String, _ text: String, _ members: [String: JSONValue] = [:]) {
        self.init(label, lines: [text], members)
    }

    init(_ label: String, lines: [String], _ members: [String: JSONValue] = [:]) {
        self.label = label
        self.lines = lines
        self.members = members
    }

    /// The event that shows what the wallet calls do, before the first of them is signed: `effects`, `warnings` and
    /// `digest` are those of `payroute review`.
    init(effectsOf review: SigningReview?) {
        let verdict = review.map { ReviewVerdict.approved($0).json }
        self.init(
            "does", lines: review?.lines ?? ["what this does was not reviewed"],
            [
                "digest": verdict?["digest"] ?? .null, "effects": verdict?["effects"] ?? [],
                "warnings": verdict?["warnings"] ?? [.string(SigningReview.Warning.unreviewed.rawValue)],
            ])
    }

    /// The event of a request that is sent again after a pause.
    init(_ retry: RequestRetry, _ text: String) {
        // Its length may come from a service.
        let milliseconds = JSONNumber(Int64(min(retry.pause / .milliseconds(1), 1e15)))
        self.init(
            "retry", text,
            [
                "origin": .string(retry.origin), "pauseInMs": .number(milliseconds), "reason": .string(retry.reason),
            ])
    }

    /// The object of `pay --json`.
    var json: [String: JSONValue] {
        members.merging(["event": .string(label), "message": .string(lines.joined(separator: " "))]) { _, own in own }
    }

    /// The members of an amount: exact in main units, with its unit apart; both null where it is open.
    static func amount(_ amount: Money?) -> [String: JSONValue] {
        [
            "amount": amount.map { .string($0.decimalText) } ?? .null,
            "unit": amount.map { .string($0.currency.mainUnit) } ?? .null,
        ]
    }
}
