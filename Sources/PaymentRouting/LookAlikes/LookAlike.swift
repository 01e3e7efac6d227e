public import PaymentCore

/// A registered host that the host of a link resembles without being it.
///
/// An explanation and nothing more: a link that resembles nothing is not more trustworthy for it, and one that does may
/// still be honest.
public struct LookAlike: Sendable, Hashable {
    /// The differences between two hosts.
    @nonexhaustive
    public enum Difference: String, Sendable, Hashable, CaseIterable {
        /// Another host of the same domain.
        case sibling
        /// The real name stands within the host, before the name of the actual host.
        case embedded
        /// Another ending, such as `.org` for `.com`.
        case otherSuffix = "other-suffix"
        /// Dots or hyphens stand elsewhere or are missing.
        case separators
        /// Letters are replaced by digits or letters that look the same.
        case confusable
        /// Letters of another alphabet that look the same.
        case international
        /// One letter is added, left out, changed, or swapped with its neighbour.
        case misspelt
        /// Words are added, left out or change places.
        case words
    }

    /// The real host.
    public let host: String
    /// The provider that claims it.
    public let provider: ProviderID
    /// The difference of the link's host.
    public let difference: Difference
    /// The registered domain that the link's host belongs to.
    public let owner: String

    /// Creates a finding.
    public init(host: String, provider: ProviderID, difference: Difference, owner: String) {
        self.host = host
        self.provider = provider
        self.difference = difference
        self.owner = owner
    }

    /// The explanation for people, a sentence.
    public var explanation: String {
        let detail: String? =
            switch difference {
            case .sibling: nil
            case .embedded: nil
            case .otherSuffix: "its ending differs"
            case .separators: "its dots or hyphens are elsewhere"
            case .confusable: "it has characters that only look the same"
            case .international: "it has letters of another alphabet that look the same"
            case .misspelt: "it differs by one letter"
            case .words: "its words differ"
            }
        let claim = "this looks like \(host) but is not: "
        guard difference != .sibling else { return claim + "it is another host of \(owner)" }
        return claim + "the address belongs to \(owner)" + (detail.map { "; \($0)" } ?? "")
    }
}
