import Foundation
import PaymentCore
import PaymentStore

/// `payroute journal prune`.
enum JournalPruneCommand: Command {
    static let name = "prune"
    static let summary = "Remove attempts that ended long ago."
    static let syntax = CommandSyntax(
        path: "payroute journal prune",
        overview: "Remove attempts that ended long ago.",
        discussion: """
            Attempts that have not ended are never removed. What proves a payment, or that money may have moved, is kept longer: without it, only the service's status says, when the same link is paid again, that it was paid.
            """,
        options: [
            JournalOption.syntax,
            .init(name: "older-than", value: "days", help: "Remove what ended more days ago.", isRequired: true),
            .init(name: "keep-proofs", value: "days", help: "Keep proofs for so many days. (default: 400)"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let age = try days("older-than", arguments) else {
            throw UsageError("Missing '--older-than <days>': how old what is removed has to be", arguments.syntax)
        }
        let proofs = try days("keep-proofs", arguments) ?? 400
        let journal = try JournalOption.open(arguments)
        let now = SystemPaymentClock().now
        let count = try await journal.prune(
            endedBefore: now.addingTimeInterval(-age * 86400),
            keepingProofsSince: now.addingTimeInterval(-proofs * 86400))
        console.output.line("\(count) \(count == 1 ? "attempt" : "attempts") removed")
        return .done
    }

    private static func days(_ name: String, _ arguments: ParsedArguments) throws -> Double? {
        try arguments.value(name) { Int($0).flatMap { (0...100_000).contains($0) ? Double($0) : nil } }
    }
}
