import PaymentCrypto

/// A user's permission for an app to act in their name, signed for the app's own key (Protocol 10.2).
///
/// A value of this type was always signed by ``issuer``, whatever its source. It opens nothing without the app's key.
package struct PubkyGrant: Sendable, Hashable {
    package let issuer: PubkyKey
    /// The app, by the name that it chose.
    package let clientID: String
    package let capabilities: [PubkyCapability]
    /// The app's key, which has to sign each time a session is opened.
    package let clientKey: PubkyKey
    package let id: String
    /// Seconds since 1970.
    package let issuedAt: UInt64
    /// Seconds since 1970.
    package let expiresAt: UInt64
    package let text: Redacted<String>

    /// The time for which signers admit apps: two years.
    package static let lifetime: UInt64 = 63_072_000
    /// The client id of sign-ups, for nothing else.
    package static let signUpClient = "pubky.signup"
    /// The longest lifetime of a grant for signing up, in seconds.
    package static let signUpLifetime: UInt64 = 300

    package init(
        _ capabilities: [PubkyCapability], to clientKey: PubkyKey, called clientID: String, id: String,
        at time: UInt64, lifetime: UInt64 = Self.lifetime, by owner: PubkyKeyPair
    ) throws(GrantDefect) {
        guard Self.isClientID(clientID), Self.isID(id) else { throw .format }
        let token = try SignedToken(
            .grant,
            [
                ("iss", .string(owner.publicKey.text)), ("client_id", .string(clientID)),
                ("caps", .array(capabilities.map { .string($0.text) })), ("cnf", .string(clientKey.text)),
                ("jti", .string(id)), ("iat", .number(time)), ("exp", .number(time &+ lifetime)),
            ], by: owner)
        try self.init(parsing: token.text)
    }

    /// Reads a grant, and checks its signature. The caller checks whether it has expired.
    package init(parsing text: some StringProtocol) throws(GrantDefect) {
        let token = try SignedToken(parsing: text)
        let claims = token.claims
        guard let issuer = claims["iss"]?.string.flatMap({ try? PubkyKey(bare: $0) }),
            let clientID = claims["client_id"]?.string, Self.isClientID(clientID),
            let clientKey = claims["cnf"]?.string.flatMap({ try? PubkyKey(bare: $0) }),
            let id = claims["jti"]?.string, Self.isID(id), let issuedAt = claims["iat"]?.uint64,
            let expiresAt = claims["exp"]?.uint64, let capabilities = PubkyCapability.list(claims["caps"])
        else { throw .format }
        try token.check(.grant, signedBy: issuer)
        self.issuer = issuer
        self.clientID = clientID
        self.capabilities = capabilities
        self.clientKey = clientKey
        self.id = id
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.text = Redacted(token.text)
    }

    /// Returns true if a text can name an app: 1 to 253 bytes, without control characters.
    package static func isClientID(_ text: String) -> Bool {
        1...253 ~= text.utf8.count && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Returns true if a text can be the id of a grant or the nonce of a proof.
    package static func isID(_ text: some StringProtocol) -> Bool {
        text.isWord(1...22, "-_")
    }

    package static func id(_ random: any RandomSource) -> String {
        Base64URL.encode(random.bytes(16))
    }
}

/// An app's signature for opening a session with a grant: that it has the key, now, for this homeserver (Protocol
/// 10.2). Works once.
package struct GrantProof: Sendable {
    package let text: Redacted<String>

    package init(
        of grantID: String, for audience: PubkyKey, nonce: String, at time: UInt64, by client: PubkyKeyPair
    ) throws(GrantDefect) {
        let claims: OrderedJSON.Members = [
            ("aud", .string(audience.text)), ("gid", .string(grantID)), ("nonce", .string(nonce)),
            ("iat", .number(time)),
        ]
        text = Redacted(try SignedToken(.proof, claims, by: client).text)
    }
}
