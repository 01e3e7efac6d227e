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

    /// Creates a finding.
    public init(host: String, provider: ProviderID, difference: Difference) {
        self.host = host
        self.provider = provider
        self.difference = difference
    }

    /// The explanation for people, to follow the name of the link's host.
    public var explanation: String {
        let what =
            switch difference {
            case .sibling: "belongs to the same domain, but is another host"
            case .embedded: "is another host: the real name only stands in it, and what follows is called"
            case .otherSuffix: "is another host: it ends differently"
            case .separators: "is another host: its dots or hyphens stand elsewhere"
            case .confusable: "is another host: it has characters that only look the same"
            case .international: "is another host: it has letters of another alphabet that look the same"
            case .misspelt: "is another host: it differs by a letter"
            case .words: "is another host: its words differ"
            }
        return "it resembles \(host) (\(provider)) and \(what)"
    }
}
