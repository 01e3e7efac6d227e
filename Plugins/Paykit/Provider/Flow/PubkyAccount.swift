package import PaymentCore
import Synchronization

/// Signs its owner in at their homeserver and publishes the homeserver (Protocol 2.3, 3.2 and 3.4).
package struct PubkyAccount: Sendable {
    private let reader: PubkyReader
    private let pkarr: PkarrClient
    private let clock: any PaymentClock
    package let keyPair: PubkyKeyPair
    /// The maker of grants for homeservers that accept them; without it only cookies are used.
    private let grants: GrantMaker?
    private let times: TokenTimes

    package init(
        _ keyPair: PubkyKeyPair, _ reader: PubkyReader, _ pkarr: PkarrClient, clock: any PaymentClock,
        grants: GrantMaker? = nil
    ) {
        self.keyPair = keyPair
        self.grants = grants
        self.reader = reader
        self.pkarr = pkarr
        self.clock = clock
        times = TokenTimes()
    }

    /// Opens a session at `server`, where the owner may have an account already, and publishes it as the owner's
    /// homeserver.
    ///
    /// - Parameters:
    ///   - capabilities: the capabilities of the session.
    ///   - signUpToken: the token that the homeserver demands from new users, if any.
    /// - Throws: ``PaykitNetworkError``.
    package func open(
        at server: PubkyKey, _ capabilities: [PubkyCapability], signUpToken: Redacted<String>? = nil
    ) async throws(PaykitNetworkError) -> PubkySession {
        let homeserver = try await reader.homeserver(called: server)
        let session: PubkySession
        var isNew = false
        do throws(PaykitNetworkError) {
            session = try await signIn(at: homeserver, called: server, capabilities)
        } catch {
            guard error.code == .notFound else { throw error }
            isNew = true
            session = try await signUp(at: homeserver, called: server, capabilities, signUpToken)
        }
        try await name(server, isNew: isNew)
        return session
    }

    /// Signs in at the owner's published homeserver.
    package func signIn(_ capabilities: [PubkyCapability]) async throws(PaykitNetworkError) -> PubkySession {
        let server = try await reader.locator.homeserver(of: keyPair.publicKey)
        return try await signIn(at: try await reader.homeserver(called: server), called: server, capabilities)
    }

    private func signIn(
        at homeserver: Homeserver, called server: PubkyKey, _ capabilities: [PubkyCapability]
    ) async throws(PaykitNetworkError) -> PubkySession {
        guard let grants, try await grants.features.takesGrants(homeserver, for: keyPair.publicKey) else {
            return try await homeserver.open(token(capabilities), isSignUp: false)
        }
        do throws(PaykitNetworkError) {
            return try await grants.open(try grants.held(capabilities, at: server, by: keyPair), at: homeserver)
        } catch {
            // The homeserver may have been replaced by an older version: the next sign-in asks again.
            if error.code == .invalidData { await grants.features.forgetGrants(homeserver) }
            throw error
        }
    }

    private func signUp(
        at homeserver: Homeserver, called server: PubkyKey, _ capabilities: [PubkyCapability],
        _ token: Redacted<String>?
    ) async throws(PaykitNetworkError) -> PubkySession {
        guard let grants, try await grants.features.takesGrants(homeserver, for: keyPair.publicKey) else {
            return try await homeserver.open(self.token(capabilities), isSignUp: true, signUpToken: token)
        }
        let held = try grants.held(
            [.root], at: server, by: keyPair, called: PubkyGrant.signUpClient, lifetime: PubkyGrant.signUpLifetime)
        try await homeserver.signUp(held.grant, try grants.proof(held), token: token)
        return try await signIn(at: homeserver, called: server, capabilities)
    }

    /// Signs a token that works once.
    package func token(_ capabilities: [PubkyCapability]) -> AuthToken {
        AuthToken(capabilities, at: times.next(clock.now.microseconds), by: keyPair)
    }

    /// Publishes `server` as the owner's homeserver, unless it is published already. Publishing replaces all records,
    /// so the owner's others are copied. A missing packet counts only if every source answered, or if the account is
    /// new.
    private func name(_ server: PubkyKey, isNew: Bool) async throws(PaykitNetworkError) {
        let key = keyPair.publicKey
        let found = try await pkarr.search(key, everywhere: true)
        let known = found.packet
        guard known != nil || found.isCertain || isNew else {
            throw PaykitNetworkError(
                .connectionFailed,
                "not every relay has answered whether \(key) has published records, which would be lost: try again later"
            )
        }
        let named = known?.records(at: "_pubky").lazy.compactMap(\.data.service).first?.target
        guard let target = DNSName(server.text), named != target, let name = SignedPacket.name("_pubky", under: key)
        else { return }
        let others = known?.message.answers.filter { !$0.name.description.hasPrefix("_pubky") } ?? []
        let record = DNSRecord(name, .https(DNSService(priority: 0, target: target)))
        // Later than the known packet, even where this device's clock is behind.
        let time = max(clock.now.microseconds, (known?.timestamp ?? 0) + 1)
        let packet: SignedPacket
        do { packet = try SignedPacket(signing: others + [record], at: time, by: keyPair) } catch {
            throw PaykitNetworkError(
                .validationFailed, "the records of \(key) leave no room for its homeserver: \(error)")
        }
        try await pkarr.publish(packet, replacing: known)
    }
}

/// The times of tokens: no two are the same, because homeservers identify tokens by their times.
private final class TokenTimes: Sendable {
    private let last = Mutex<UInt64>(0)

    func next(_ now: UInt64) -> UInt64 {
        last.withLock { last in
            last = max(now, last + 1)
            return last
        }
    }
}
