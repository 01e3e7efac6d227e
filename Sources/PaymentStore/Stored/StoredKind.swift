import PaymentCore

/// The words for what a step does to the world.
enum StoredKind {
    static func word(_ kind: StepKind) -> String {
        switch kind {
        case .query: "query"
        case .interaction: interaction
        case .mutation(.never): "mutation"
        case .mutation(.sameKey): "mutation-same-key"
        case .walletTransfer: "wallet-transfer"
        case .settlement: "settlement"
        }
    }

    static func read(_ word: String) -> StepKind? { kinds.first { Self.word($0) == word } }

    static let interaction = "interaction"

    /// The words of the steps in which money may move, as a list in a statement.
    static let wordsThatMoveMoney = kinds.filter(\.movesMoney).map { "'\(word($0))'" }.joined(separator: ", ")

    private static let kinds: [StepKind] = [
        .query, .interaction, .mutation(replay: .never), .mutation(replay: .sameKey), .walletTransfer,
        .settlement,
    ]
}
