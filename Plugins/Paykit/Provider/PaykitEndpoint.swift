import PaymentCore

/// A way in which somebody can be paid, as they published it.
public struct PaykitEndpoint: Sendable, Hashable {
    /// The method, such as `lightning` or `onchain`.
    public let methodID: String
    /// Where to pay: an invoice, a Lightning address, a coin address. Somebody else's text: check it before paying.
    public let endpoint: String

    /// The least amount that its owner takes there, in the asset's major unit (bitcoin, not satoshi), as they wrote it;
    /// nil for any.
    public let least: String?
    /// The most.
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

    /// Whether a payer who asks for `method` means this one: by its own name, or by the one that its kind had before,
    /// as `lightning` for `btc-lightning-bolt11`.
    public func isCalled(_ method: String) -> Bool {
        methodID == method || PaykitIdentifier(methodID)?.formerName == method
    }

    /// Whether a file of this name in the directory is a method at all (Protocol 4.2).
    public static func isMethod(_ name: some StringProtocol) -> Bool {
        guard 1...32 ~= name.utf8.count, name != "noise" else { return false }
        return name.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ":")
        }
    }
}
