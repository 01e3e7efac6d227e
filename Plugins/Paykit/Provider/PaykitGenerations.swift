/// The generations of Paykit that are read and published (Protocol 11.4).
@nonexhaustive
public enum PaykitGenerations: Sendable, Hashable, CaseIterable {
    /// Both: the newest that a payee uses is read; the user's own endpoints are published in each.
    case both
    /// Generation 2, which the guide documents.
    case second
    /// Generation 3, which current wallets use.
    case third

    package var readsThirdGeneration: Bool { self != .second }
    package var readsSecond: Bool { self != .third }
}
