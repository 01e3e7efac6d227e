import CitconProvider

/// Why a URL by which a payer came back is not taken.
public enum CPayReturnError: Error, Sendable, Hashable {
    /// It names another order than those whose payers are away, by the item called so.
    case anotherOrder(item: String)
}

extension CPayReturnError: CustomStringConvertible {
    /// One sentence for people, without what the URL says.
    public var description: String {
        switch self {
        case .anotherOrder(let item): ReturnNames.Item(rawValue: item)?.rejection ?? "the URL is another order's"
        }
    }
}
