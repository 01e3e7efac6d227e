/// Why a URL by which a payer came back is not taken.
public enum CPayReturnError: Error, Sendable, Hashable {
    /// It names another order than those whose payers are away, by the item called so.
    case anotherOrder(item: String)
}

extension CPayReturnError: CustomStringConvertible {
    /// One sentence for people, without what the URL says.
    public var description: String {
        switch self {
        case .anotherOrder(let item):
            "the payer came back with the URL of another order: its '\(item)' is not this one's; nothing was done "
                + "about it"
        }
    }
}
