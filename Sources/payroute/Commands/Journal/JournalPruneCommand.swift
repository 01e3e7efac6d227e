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
            Attempts that have not ended are never removed. Proofs of payments, and records that money may have moved, are kept longer: without them only the service's status prevents a second payment of the same link. The keys of callers of 'payroute serve' are kept as long as proofs.
            """,
        options: [
            JournalOption.syntax,
            .init(
                name: "older-than", value: "days", help: "Remove attempts that ended more than this many days ago.",
                isRequired: true,
                form: "a whole number of days"),
            .init(
                name: "keep-proofs", value: "days",
                help: "Keep proofs and callers' keys for this many days. (default: 400)",
                form: "a whole number of days"),
        ],
        examples: [.init("payroute journal prune --journal payments.db --older-than 90", "a quarter")])

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
        let served = try ServeTable.prune(
            try JournalOption.path(arguments) + ".served",
            endedBefore: now.addingTimeInterval(-max(age, proofs) * 86400))
        if let served { console.output.line("\(served) \(served == 1 ? "key" : "keys") of callers removed") }
        return .done
    }

    private static func days(_ name: String, _ arguments: ParsedArguments) throws -> Double? {
        try arguments.value(name) { Int($0).flatMap { (0...100_000).contains($0) ? Double($0) : nil } }
    }
}
