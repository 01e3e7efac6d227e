/// A published way to pay a user.
public struct PaykitEndpoint: Sendable, Hashable {
    /// The method, such as `lightning` or `onchain`.
    public let methodID: String
    /// The destination: an invoice, a Lightning address, a coin address. It is untrusted text: check it before paying.
    public let endpoint: String

    /// The least amount that the owner accepts there, in the asset's major unit (bitcoin, not satoshi); nil for any.
    public let least: String?
    /// The greatest amount that the owner accepts there, in the same form; nil for any.
    public let most: String?

    /// Creates an endpoint.
    public init(methodID: String, endpoint: String, least: String? = nil, most: String? = nil) {
        self.methodID = methodID
        self.endpoint = endpoint
        self.least = least
        self.most = most
    }

    init(methodID: String, _ payload: EndpointPayload) {
        self.init(methodID: methodID, endpoint: payload.value, least: payload.least, most: payload.most)
    }

    /// Returns true if `method` names this endpoint's method: by its current name, or by the former name of its kind,
    /// as `lightning` for `btc-lightning-bolt11`.
    public func isCalled(_ method: String) -> Bool {
        methodID == method || PaykitIdentifier(methodID)?.formerName == method
    }

    /// Returns true if a file of this name in the directory is a payment method (Protocol 4.2).
    public static func isMethod(_ name: some StringProtocol) -> Bool {
        name != "noise" && name.isWord(1...32, "-:", lowerCase: true)
    }
}
