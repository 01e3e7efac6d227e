import PaymentCrypto
import Synchronization

/// Signs its owner in at their homeserver and publishes the homeserver (Protocol 2.3, 3.2 and 3.4).
///
/// A signed token names no homeserver, so each one that sees it can use it at any other. An account therefore knows the
/// key of its homeserver, and signs for no other, whatever the network says.
package struct PubkyAccount: Sendable {
    package let server: PubkyKey
    private let reader: PubkyReader
    private let pkarr: PkarrClient
    private let clock: any PaymentClock
    package let keyPair: PubkyKeyPair
    /// The maker of grants for homeservers that accept them. Without it only cookies are used.
    private let grants: GrantMaker?
    private let memory: AccountMemory

    package init(
        _ keyPair: PubkyKeyPair, at server: PubkyKey, _ reader: PubkyReader, _ pkarr: PkarrClient,
        clock: any PaymentClock, grants: GrantMaker? = nil
    ) {
        self.keyPair = keyPair
        self.server = server
        self.grants = grants
        self.reader = reader
        self.pkarr = pkarr
        self.clock = clock
        memory = AccountMemory()
    }

    /// Opens a session at the homeserver, where the owner may have an account already, and publishes it as the owner's.
    /// `signUpToken` is the token that the homeserver demands from new users, if any.
    package func open(
        _ capabilities: [PubkyCapability], signUpToken: Redacted<String>? = nil
    ) async throws(PaykitNetworkError) -> PubkySession {
        let homeserver = try await reader.homeserver(called: server)
        let session: PubkySession
        var isNew = false
        do throws(PaykitNetworkError) {
            session = try await signIn(at: homeserver, capabilities)
        } catch {
            guard error.code == .notFound else { throw error }
            isNew = true
            session = try await signUp(at: homeserver, capabilities, signUpToken)
        }
        try await publish(isNew: isNew)
        return session
    }

    /// Signs in again, if the owner's homeserver is still the one of this account. All relays and the DHT are asked.
    /// Throws ``PaykitNetworkError``; `auth` when the network names another homeserver.
    package func signIn(_ capabilities: [PubkyCapability]) async throws(PaykitNetworkError) -> PubkySession {
        let named = try await reader.locator.homeserver(of: keyPair.publicKey, isFresh: true)
        guard named == server else {
            throw PaykitNetworkError(
                .auth,
                "the network names \(named) as the homeserver of \(keyPair.publicKey), and this account is at \(server): "
                    + "nothing is signed for another; if the account has moved, initialize with the new homeserver's key"
            )
        }
        return try await signIn(at: try await reader.homeserver(called: server), capabilities)
    }

    private func signIn(
        at homeserver: Homeserver, _ capabilities: [PubkyCapability]
    ) async throws(PaykitNetworkError) -> PubkySession {
        guard let grants = try await grants(for: homeserver) else {
            return try await homeserver.open(token(capabilities), isSignUp: false)
        }
        do throws(PaykitNetworkError) {
            let session = try await grants.open(try grants.held(capabilities, at: server, by: keyPair), at: homeserver)
            memory.hasTakenGrants.store(true, ordering: .sequentiallyConsistent)
            return session
        } catch {
            // The homeserver may have been replaced by an older version: the next sign-in asks again.
            if error.code == .invalidData { await grants.features.forgetGrants(homeserver) }
            throw error
        }
    }

    /// Returns the maker of grants; nil for a homeserver that has never taken one. Throws ``PaykitNetworkError``,
    /// `auth`, when it has taken grants and denies that now: a bare token could be used elsewhere, a grant cannot.
    private func grants(for homeserver: Homeserver) async throws(PaykitNetworkError) -> GrantMaker? {
        guard let grants else { return nil }
        if try await grants.features.takesGrants(homeserver, for: keyPair.publicKey) { return grants }
        guard !memory.hasTakenGrants.load(ordering: .sequentiallyConsistent) else {
            await grants.features.forgetGrants(homeserver)
            throw PaykitNetworkError(
                .auth,
                "\(homeserver.url.host) has taken grants and says that it takes none: nothing weaker is signed; initialize "
                    + "again if it was replaced by an older version")
        }
        return nil
    }

    private func signUp(
        at homeserver: Homeserver, _ capabilities: [PubkyCapability], _ token: Redacted<String>?
    ) async throws(PaykitNetworkError) -> PubkySession {
        guard let grants = try await grants(for: homeserver) else {
            return try await homeserver.open(self.token(capabilities), isSignUp: true, signUpToken: token)
        }
        let held = try grants.held(
            [.root], at: server, by: keyPair, called: PubkyGrant.signUpClient, lifetime: PubkyGrant.signUpLifetime)
        try await homeserver.signUp(held.grant, try grants.proof(held), token: token)
        return try await signIn(at: homeserver, capabilities)
    }

    package func token(_ capabilities: [PubkyCapability]) -> AuthToken {
        AuthToken(capabilities, at: memory.next(clock.now.microseconds), by: keyPair)
    }

    /// Publishes the homeserver as the owner's, unless it is published already. Publishing replaces all records, so the
    /// owner's others are copied. A missing packet counts only if every source answered, or for a new account.
    private func publish(isNew: Bool) async throws(PaykitNetworkError) {
        let key = keyPair.publicKey
        let found = try await pkarr.search(key, everywhere: true)
        let known = found.packet
        guard known != nil || found.isCertain || isNew else {
            throw PaykitNetworkError(
                .connectionFailed,
                "not every relay has answered whether \(key) has published records, which would be lost: try again later"
            )
        }
        let named = known?.services(at: "_pubky").first?.target
        guard let target = DNSName(server.text), named != target, let name = SignedPacket.name("_pubky", under: key)
        else { return }
        let others = known?.message.answers.filter { !$0.name.description.hasPrefix("_pubky") } ?? []
        let record = DNSRecord(name, .https(DNSService(priority: 0, target: target)))
        // Later than the known packet, even if this device's clock is behind.
        let time = max(clock.now.microseconds, (known?.timestamp ?? 0) + 1)
        let packet: SignedPacket
        do { packet = try SignedPacket(signing: others + [record], at: time, by: keyPair) } catch {
            throw PaykitNetworkError(
                .validationFailed, "the records of \(key) leave no room for its homeserver: \(error)")
        }
        try await pkarr.publish(packet, replacing: known)
    }
}

/// The memory of an account: its homeserver, and the times of its tokens.
private final class AccountMemory: Sendable {
    private let last = Mutex<UInt64>(0)
    let hasTakenGrants = Atomic(false)

    /// Returns the time of the next token: no two are the same, because homeservers identify tokens by their times.
    func next(_ now: UInt64) -> UInt64 {
        last.withLock { last in
            last = max(now, last + 1)
            return last
        }
    }
}
