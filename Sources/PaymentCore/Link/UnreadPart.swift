/// A part of a payment text that its standard does not know and that nothing in its reading is made of.
public struct UnreadPart: Sendable, Hashable {
    /// The part's name, decoded: a parameter's name, `#` for what follows a link's `#`.
    public let name: String
    /// Its value, decoded where that is possible; nil where it has none.
    public let value: String?
    /// True if a part of this name could change the coin, the amount, the payee, the tag or the time of the payment:
    /// `token`, `currency`, `contractAddress`, `expires` …
    public let couldChangePayment: Bool

    /// Creates a part.
    public init(name: String, value: String?, couldChangePayment: Bool) {
        self.name = name
        self.value = value
        self.couldChangePayment = couldChangePayment
    }
}
