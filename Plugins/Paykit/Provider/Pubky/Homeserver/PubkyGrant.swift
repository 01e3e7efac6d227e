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

    /// The lifetime of a signer's grant: two years.
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

/// A grant, with the app's key for it and the homeserver that accepts it: all that opening sessions requires, until it
/// expires or is revoked. Never share it between programs: each would end the other's session.
package struct HeldGrant: Sendable, Hashable {
    package let grant: PubkyGrant
    package let homeserver: PubkyKey
    private let seed: Redacted<[UInt8]>

    private static let version = "pubky-grant-credential-v1"

    package init(_ grant: PubkyGrant, at homeserver: PubkyKey, seed: Redacted<[UInt8]>) throws(GrantDefect) {
        guard let client = try? PubkyKeyPair(seed: seed.reveal()), client.publicKey == grant.clientKey else {
            throw .owner
        }
        self.grant = grant
        self.homeserver = homeserver
        self.seed = seed
    }

    package func proof(_ random: any RandomSource, at time: UInt64) throws(GrantDefect) -> GrantProof {
        guard let client = try? PubkyKeyPair(seed: seed.reveal()) else { throw .owner }
        return try GrantProof(of: grant.id, for: homeserver, nonce: PubkyGrant.id(random), at: time, by: client)
    }

    // MARK: At rest

    /// The stored text (Protocol 10.5). It is as sensitive as the key for what it permits.
    package var credential: Redacted<String> {
        Redacted("\(Self.version):\(homeserver):\(Base64URL.encode(seed.reveal())):\(grant.text.reveal())")
    }

    /// Returns true if a stored text looks like a grant, of whatever version, and not like a cookie.
    package static func isLikely(_ text: String) -> Bool { text.hasPrefix("pubky-grant-credential-") }

    /// Reads a stored grant. `credential` is the ``credential`` of this or another client. `now` is seconds since 1970.
    package init(_ credential: Redacted<String>, now: UInt64) throws(PaykitNetworkError) {
        func failure(_ reason: String, _ code: PaykitNetworkError.Code = .validationFailed) -> PaykitNetworkError {
            PaykitNetworkError(code, "the stored session \(reason): sign in again")
        }
        let parts = credential.reveal().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first == Self.version[...], parts.count == 4 else {
            throw failure("is of a version that is not known here")
        }
        guard let homeserver = try? PubkyKey(bare: parts[1]) else { throw failure("names no homeserver") }
        guard let seed = Base64URL.decode(parts[2]), seed.count == 32, let grant = try? PubkyGrant(parsing: parts[3])
        else { throw failure("cannot be read") }
        guard grant.expiresAt > now else { throw failure("is over", .sessionExpired) }
        do { try self.init(grant, at: homeserver, seed: Redacted(seed)) } catch {
            throw failure("and its key do not belong together")
        }
    }
}

/// Makes the grants of this app's sessions, from its name and a source of keys.
package struct GrantMaker: Sendable {
    package let clientID: String
    package let random: any RandomSource
    package let clock: any PaymentClock
    package let features: HomeserverFeatures

    package init(clientID: String, random: any RandomSource, clock: any PaymentClock, features: HomeserverFeatures) {
        self.clientID = clientID
        self.random = random
        self.clock = clock
        self.features = features
    }

    package func seed() -> Redacted<[UInt8]> { Redacted(random.bytes(32)) }

    package var seconds: UInt64 { clock.now.microseconds / 1_000_000 }

    package func grant(
        _ capabilities: [PubkyCapability], to clientKey: PubkyKey, called clientID: String, by owner: PubkyKeyPair,
        lifetime: UInt64 = PubkyGrant.lifetime
    ) throws(PaykitNetworkError) -> PubkyGrant {
        do {
            return try PubkyGrant(
                capabilities, to: clientKey, called: clientID, id: PubkyGrant.id(random), at: seconds,
                lifetime: lifetime, by: owner)
        } catch { throw PaykitNetworkError(.validationFailed, "the app cannot be let in: \(error)") }
    }

    package func open(_ held: HeldGrant, at server: Homeserver) async throws(PaykitNetworkError) -> PubkySession {
        try await server.open(held, try proof(held), at: clock.uptime)
    }

    package func proof(_ held: HeldGrant) throws(PaykitNetworkError) -> GrantProof {
        do { return try held.proof(random, at: seconds) } catch {
            throw PaykitNetworkError(.validationFailed, "the app's key cannot sign: \(error)")
        }
    }

    /// Returns a grant from `owner` to this app for a homeserver, with a new key.
    package func held(
        _ capabilities: [PubkyCapability], at server: PubkyKey, by owner: PubkyKeyPair, called clientID: String? = nil,
        lifetime: UInt64 = PubkyGrant.lifetime
    ) throws(PaykitNetworkError) -> HeldGrant {
        let seed = seed()
        do {
            let client = try PubkyKeyPair(seed: seed.reveal())
            return try HeldGrant(
                grant(
                    capabilities, to: client.publicKey, called: clientID ?? self.clientID, by: owner, lifetime: lifetime
                ), at: server, seed: seed)
        } catch let failure as PaykitNetworkError { throw failure } catch {
            throw PaykitNetworkError(.validationFailed, "this device has no usable key for the app")
        }
    }
}

/// A homeserver's description of a session by a grant (Protocol 10.3). Times are seconds since 1970, by its clock.
package struct GrantSession: Sendable, Hashable {
    package let homeserver: PubkyKey
    package let user: PubkyKey
    package let clientID: String
    package let capabilities: [PubkyCapability]
    package let grantID: String
    package let tokenExpiresAt: UInt64
    package let grantExpiresAt: UInt64
    package let createdAt: UInt64

    /// Reads a session. Unknown members are skipped.
    package init(_ json: JSONValue) throws(WireDefect) {
        func key(_ name: String) -> PubkyKey? { json[name]?.string.flatMap { try? PubkyKey(bare: $0) } }
        guard let homeserver = key("homeserver"), let user = key("pubky"), let clientID = json["client_id"]?.string,
            let capabilities = PubkyCapability.list(json["capabilities"]), let grantID = json["grant_id"]?.string,
            let tokenExpiresAt = json["token_expires_at"]?.uint64,
            let grantExpiresAt = json["grant_expires_at"]?.uint64, let createdAt = json["created_at"]?.uint64
        else { throw WireDefect("a session has a member that is missing or cannot be read") }
        self.homeserver = homeserver
        self.user = user
        self.clientID = clientID
        self.capabilities = capabilities
        self.grantID = grantID
        self.tokenExpiresAt = tokenExpiresAt
        self.grantExpiresAt = grantExpiresAt
        self.createdAt = createdAt
    }
}

/// A grant of an app to act in this user's name, as their homeserver lists it.
public struct PubkyGrantRecord: Sendable, Hashable, Identifiable {
    /// The id for revoking it.
    public let id: String
    /// The app, by the name that it chose.
    public let clientID: String
    /// The app's permissions.
    public let capabilities: [PubkyCapability]
    /// The time of the grant: seconds since 1970, by the signer's clock.
    public let issuedAt: UInt64
    /// The time of its expiry: seconds since 1970.
    public let expiresAt: UInt64

    /// Reads an entry of the list. Its capabilities are one text there.
    package init(_ json: JSONValue) throws(WireDefect) {
        guard let id = json["grant_id"]?.string, PubkyGrant.isID(id), let client = json["client_id"]?.string,
            let text = json["capabilities"]?.string, let capabilities = try? PubkyCapability.list(text),
            let issuedAt = json["issued_at"]?.uint64, let expiresAt = json["expires_at"]?.uint64
        else { throw WireDefect("a list of grants has an entry that cannot be read") }
        self.id = id
        clientID = client
        self.capabilities = capabilities
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

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
