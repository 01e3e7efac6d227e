package import PaymentCore
package import SandboxSupport

/// The functions that the program passes to the sandbox's home that it serves: its own router, payer and QR codes. The
/// page therefore shows the same as the command line.
package protocol SandboxActions: Sendable {
    /// The name of the program in commands to copy, or nil if it has no such commands.
    var program: String? { get }
    /// Reads and identifies a text. Sends nothing.
    func read(_ text: String) -> TextReading
    /// Reads the codes in a picture file. There is at least one.
    func texts(in picture: [UInt8]) throws(PictureError) -> [String]
    /// Draws a text as a QR code, as an SVG document. Returns nil if it is too long, or if the program draws none.
    func picture(of text: String) -> String?
    /// Pays as a simulated payer at the sandbox served at `base`, and reports each step.
    ///
    /// - Returns: The result, with the journal's view of it.
    func pay(
        _ payment: SandboxPayment, at base: HTTPURL,
        onStep: @escaping @Sendable (_ label: String, _ text: String) -> Void
    ) async -> PaidReport
}

/// The reason why no code was read from a picture, in words for people.
package struct PictureError: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}

/// The result of a payment for the payer.
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

/// The reading of a text, safe to show: no control characters, nothing that changes the direction of writing.
package struct TextReading: Sendable {
    /// The text, as far as it may be shown.
    package var shown = ""
    /// One line for people: who gets how much until when.
    package var summary = ""
    /// The rest of the common reading, as rows.
    package var rows: [(label: String, text: String)] = []
    /// The common reading, for programs.
    package var common: JSONValue = .null
    package var decision = ""
    package var provider: String?
    package var standard: String?
    package var candidates: [String] = []
    package var role: String?
    /// `verified` or `unverified`.
    package var trust: String?
    package var reference: String?
    package var reason = ""
    /// The reason why nothing can be done with it.
    package var error: String?
    /// Explains the host that the link only resembles.
    package var lookAlike: String?
    package var fields: [(name: String, value: String)] = []
    package var warnings: [(name: String, words: String)] = []
    /// True if it holds a secret, and is neither shown whole nor drawn.
    package var hidesSecret = false

    package init() {}

    /// The form for programs: the members of `payroute inspect --json`, with the warnings.
    var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "input": .string(shown), "decision": .string(decision), "provider": text(provider),
            "standard": text(standard), "candidates": .array(candidates.map { .string($0) }), "role": text(role),
            "trust": text(trust), "reference": text(reference), "reason": .string(reason), "error": text(error),
            "valid": .bool(error == nil), "resembles": text(lookAlike),
            "fields": .object(Dictionary(fields.map { ($0.name, .string($0.value)) }) { first, _ in first }),
            "reading": common, "warnings": .array(warnings.map { .string($0.name) }),
        ]
    }
}
