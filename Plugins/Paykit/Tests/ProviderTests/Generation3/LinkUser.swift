import PaykitProvider
import PaykitSandbox
import PaymentCore

/// A user of a sandbox, whose app accepts private links.
struct LinkUser: Sendable {
    let key: PubkyKey
    let receiver: PaykitReceiverPath
    let secret: Redacted<[UInt8]>
    let session: PubkySession
    let flow: PrivateLinkFlow

    /// Signs the user up, or in, and publishes the app's marker.
    init(
        _ pair: PubkyKeyPair, as receiver: PaykitReceiverPath, secret: Redacted<[UInt8]>,
        _ states: any RecordStore, at sandbox: PubkySandbox, over transport: any HTTPTransport, _ url: HTTPURL,
        clock: any PaymentClock, random: any RandomSource
    ) async throws {
        let pkarr = PkarrClient(relays: try PubkyNetwork.sandbox(url).relays, http: transport, clock: clock)
        let reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport)
        // No two users sign in at the same moment.
        try await clock.sleep(for: .seconds(1))
        session = try await PubkyAccount(pair, at: sandbox.homeserver, reader, pkarr, clock: clock)
            .open(receiver.capabilities)
        flow = PrivateLinkFlow(
            pair.publicKey, as: receiver, try PrivateLinkKeys(secret: secret), reader, store: states, clock: clock,
            random: random)
        (key, self.receiver, self.secret) = (pair.publicKey, receiver, secret)
        try await flow.publishMarker(session)
    }

    /// Lets both poll in turn, `first` first, until every message has arrived.
    static func deliver(_ first: LinkUser, _ second: LinkUser) async throws {
        for _ in 0..<4 {
            try await first.flow.poll(second.key, second.receiver, first.session)
            try await second.flow.poll(first.key, first.receiver, second.session)
        }
    }
}
