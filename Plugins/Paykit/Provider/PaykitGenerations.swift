/// Which forms of Paykit are read and published (Protocol 11.4).
@nonexhaustive
public enum PaykitGenerations: Sendable, Hashable, CaseIterable {
    /// The newest that a payee uses is read; one's own is published in each.
    case both
    /// What the guide documents.
    case second
    /// What wallets of today use.
    case third

    package var readsThirdGeneration: Bool { self != .second }
    package var readsSecond: Bool { self != .third }
}
