import CitconProvider

/// The reason why the URL of a payer's return is refused.
public enum CPayReturnError: Error, Sendable, Hashable {
    /// The URL names another order than those whose payers are away, by the item with this name.
    case anotherOrder(item: String)
}

extension CPayReturnError: CustomStringConvertible {
    /// One human-readable sentence, without the URL's content.
    public var description: String {
        switch self {
        case .anotherOrder(let item): ReturnNames.Item(rawValue: item)?.rejection ?? "the URL is another order's"
        }
    }
}
