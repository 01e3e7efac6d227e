import PaymentCrypto

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

    /// The text as which it is stored (Protocol 10.5). It is as sensitive as the key for what it permits.
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
