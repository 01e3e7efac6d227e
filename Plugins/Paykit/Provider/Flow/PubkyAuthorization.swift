import PaymentCrypto

/// Both sides of an authorisation through a relay (Protocol 1.7).
package struct PubkyAuthorization: Sendable {
    private let http: any HTTPTransport

    package static let maximumLength = 2048

    package init(over http: any HTTPTransport) { self.http = http }

    /// Draws the secret of a new link. If it is predictable, others can read the token.
    package static func secret(_ random: any RandomSource) -> Redacted<[UInt8]> {
        Redacted(random.bytes(32))
    }

    package enum Answer: Sendable {
        /// The form for older homeservers (Protocol 3.2).
        case token(AuthToken)
        /// The form for current homeservers (Protocol 10.2).
        case grant(PubkyGrant)

        package var user: PubkyKey {
            switch self {
            case .token(let token): token.key
            case .grant(let grant): grant.issuer
            }
        }
    }

    /// Leaves a token or grant at the relay where the device that showed `link` waits for it.
    package func answer(
        _ link: PubkyAuthorizationLink, with content: [UInt8], _ random: any RandomSource
    ) async throws(PaykitNetworkError) {
        let nonce = random.bytes(24)
        let sealed: [UInt8]
        do {
            guard let secret = link.secret else { throw SodiumError.unavailable }
            sealed = nonce + (try SecretBox.seal(content, key: secret.reveal(), nonce: nonce))
        } catch {
            throw PaykitNetworkError(.validationFailed, "the answer cannot be sealed: \(error)")
        }
        try require(
            sealed.count <= Self.maximumLength, .validationFailed,
            "the link asks for so much that the answer does not fit through a relay")
        let response = try await send(.post, link, body: sealed)
        guard 200...299 ~= response.status else {
            throw PaykitNetworkError(
                response.status == 408 ? .connectionTimeout : .transport,
                response.status == 408
                    ? "this authorisation is no longer awaited: have the code shown again"
                    : "the relay refused the authorisation (status \(response.status))")
        }
    }

    /// Waits once for the answer to `link`; nil when the relay ended the wait without one, and may be asked again.
    /// Throws `invalidCredentials` when the message there was not made by a signer with this secret.
    package func wait(for link: PubkyAuthorizationLink, _ holdTime: Duration) async throws(PaykitNetworkError)
        -> Answer?
    {
        let response = try await send(.get, link, timeout: holdTime)
        if [404, 408].contains(response.status) { return nil }
        try require(response.status == 200, .transport, "the relay failed (status \(response.status)); try again later")
        guard response.body.count > SecretBox.nonceLength, let secret = link.secret,
            let bytes = try? SecretBox.open(
                Array(response.body.dropFirst(SecretBox.nonceLength)), key: secret.reveal(),
                nonce: Array(response.body.prefix(SecretBox.nonceLength))), let answer = Self.read(bytes)
        else {
            throw PaykitNetworkError(
                .invalidCredentials, "what was left at the relay is no authorisation; show a new code")
        }
        // An inbox keeps a message until it is deleted. A failed deletion does no harm.
        if link.isInbox { _ = try? await send(.delete, link) }
        return answer
    }

    /// Returns the answer, whose kind follows from its content and not from the request.
    private static func read(_ bytes: [UInt8]) -> Answer? {
        if let token = try? AuthToken(parsing: bytes) { return .token(token) }
        guard SignedToken.isLikely(bytes) else { return nil }
        return (try? PubkyGrant(parsing: String(decoding: bytes, as: UTF8.self))).map { .grant($0) }
    }

    private func send(
        _ method: HTTPRequest.Method, _ link: PubkyAuthorizationLink, body: [UInt8] = [],
        timeout: Duration = .seconds(30)
    ) async throws(PaykitNetworkError) -> HTTPResponse {
        guard let channel = link.channel, let url = try? link.relay?.appending([channel]) else {
            throw PaykitNetworkError(.validationFailed, "the link names no relay")
        }
        do {
            var request = HTTPRequest(method, url, body: body, timeout: timeout, responseLimit: 1 << 16)
            request.reachesPrivateNetworks = false
            return try await http.send(request)
        } catch { throw PaykitNetworkError(error) }
    }
}
