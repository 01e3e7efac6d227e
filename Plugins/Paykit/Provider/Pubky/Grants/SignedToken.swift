import PaymentCrypto

/// A text of three parts that an Ed25519 key signed: header, claims, signature (RFC 7515, compact; Protocol 10.2). No
/// other algorithm is known here, so none can be substituted.
package struct SignedToken: Sendable {
    package let claims: JSONValue
    package let text: String
    private let header: JSONValue
    private let signature: [UInt8]

    /// The most bytes that are read: the relays carry no more than 2,048.
    package static let maximumLength = 4096

    /// Signs `claims`, which keep their order.
    package init(_ kind: Kind, _ claims: OrderedJSON.Members, by owner: PubkyKeyPair) throws(GrantDefect) {
        let header = OrderedJSON.object([("alg", .string("EdDSA")), ("typ", .string(kind.rawValue))])
        let content = [header, .object(claims)].map { Base64URL.encode($0.bytes) }.joined(separator: ".")
        let signature = owner.sign(Array(content.utf8))
        try self.init(parsing: content + "." + Base64URL.encode(signature))
    }

    /// Reads a token. The caller checks its signature.
    package init(parsing text: some StringProtocol) throws(GrantDefect) {
        guard text.utf8.count <= Self.maximumLength else { throw .format }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2]), signature.count == 64
        else { throw .format }
        self.header = header
        self.claims = claims
        self.signature = signature
        self.text = String(text)
    }

    package enum Kind: String, Sendable {
        case grant = "pubky-grant"
        case proof = "pubky-pop"
    }

    /// Checks, in the homeserver's order, that `key` signed this and that it is of this kind.
    package func check(_ kind: Kind, signedBy key: PubkyKey) throws(GrantDefect) {
        let content = text.utf8.prefix(text.utf8.count - Base64URL.encode(signature).utf8.count - 1)
        guard header["alg"]?.string == "EdDSA",
            Ed25519.isValid(signature, message: Array(content), publicKey: key.bytes)
        else { throw .signature }
        guard header["typ"]?.string == kind.rawValue else { throw .kind }
    }

    /// Returns true if a text has the outer form of a token, as opposed to the bytes of an ``AuthToken``.
    package static func isLikely(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count == 3
            && bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0) }
    }

    private static func object(_ part: some StringProtocol) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let json = try? JSONValue(parsing: bytes), json.object != nil
        else { return nil }
        return json
    }
}

/// A defect of a grant or a proof. Holds nothing of it.
package enum GrantDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is not three parts of base64url with the required claims.
    case format
    /// It was not signed by the key that it names.
    case signature
    case kind
    /// It has expired, or its time is not near this device's.
    case time
    case audience
    /// It belongs to another grant, client or key.
    case owner

    package var description: String {
        switch self {
        case .format: "it is not of the form that grants have"
        case .signature: "the key that it names did not sign it"
        case .kind: "it was signed for something else"
        case .time: "its time is over, or not near this device's"
        case .audience: "it is for another homeserver"
        case .owner: "it belongs to another grant or another app's key"
        }
    }
}
