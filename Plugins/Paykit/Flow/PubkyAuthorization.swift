package import PaymentCore
import PaymentCrypto
import PaymentSodium

/// Both sides of an authorisation through a relay (Protocol 1.7).
package struct PubkyAuthorization: Sendable {
    private let http: any HTTPTransport

    package init(over http: any HTTPTransport) { self.http = http }

    /// Draws the secret of a new link. Whoever can foretell it can read the token.
    package static func secret(_ random: any RandomSource) -> Redacted<[UInt8]> {
        Redacted(random.bytes(32))
    }

    /// Leaves `token` where the device that showed `link` waits for it.
    package func answer(
        _ link: PubkyAuthorizationLink, with token: AuthToken, _ random: any RandomSource
    ) async throws(PaykitFailure) {
        let nonce = random.bytes(24)
        let sealed: [UInt8]
        do { sealed = nonce + (try SecretBox.seal(token.bytes, key: link.secret.reveal(), nonce: nonce)) } catch {
            throw PaykitFailure(.validationFailed, "the token cannot be sealed: \(error)")
        }
        let response = try await send(.post, link, body: sealed)
        guard 200...299 ~= response.status else {
            throw PaykitFailure(
                response.status == 408 ? .connectionTimeout : .transport,
                response.status == 408
                    ? "nobody waits for this authorisation any more: have the code shown again"
                    : "the relay refused the authorisation (status \(response.status))")
        }
    }

    /// Waits once for the answer to `link`; nil when the relay let go without one, and may be asked again.
    ///
    /// - Throws: `invalidCredentials` when something was left there that no signer with this secret made.
    package func wait(for link: PubkyAuthorizationLink, _ patience: Duration) async throws(PaykitFailure) -> AuthToken?
    {
        let response = try await send(.get, link, timeout: patience)
        if [404, 408].contains(response.status) { return nil }
        guard response.status == 200 else {
            throw PaykitFailure(.transport, "the relay failed (status \(response.status)); try again later")
        }
        guard response.body.count > SecretBox.nonceLength,
            let bytes = try? SecretBox.open(
                Array(response.body.dropFirst(SecretBox.nonceLength)), key: link.secret.reveal(),
                nonce: Array(response.body.prefix(SecretBox.nonceLength))),
            let token = try? AuthToken(parsing: bytes)
        else {
            throw PaykitFailure(.invalidCredentials, "what was left at the relay is no authorisation; show a new code")
        }
        return token
    }

    private func send(
        _ method: HTTPRequest.Method, _ link: PubkyAuthorizationLink, body: [UInt8] = [],
        timeout: Duration = .seconds(30)
    ) async throws(PaykitFailure) -> HTTPResponse {
        guard let url = try? link.relay?.appending([link.channel]) else {
            throw PaykitFailure(.validationFailed, "the link names no relay")
        }
        do {
            return try await http.send(
                HTTPRequest(method, url, body: body, timeout: timeout, responseLimit: 1 << 16))
        } catch { throw PaykitFailure(error) }
    }
}
