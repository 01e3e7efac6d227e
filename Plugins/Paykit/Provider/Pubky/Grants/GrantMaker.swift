/// Makes the grants with which this app opens sessions, from its name and a source of keys.
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
