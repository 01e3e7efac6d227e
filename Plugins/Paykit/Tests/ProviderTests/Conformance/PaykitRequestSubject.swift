import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentStandards
import PaymentTesting
import Synchronization

extension Subjects {
    /// A payee's request over a private link: created for each trial, by two users without earlier contact.
    static func paykitRequest() throws -> ConformanceSubject {
        let url = try HTTPURL("http://127.0.0.1:6287")
        let current = CurrentSettler()
        // The stored state of the link belongs to the trial, too.
        let states = CurrentStates()
        let payer = try PubkyKeyPair(seed: [UInt8](repeating: 7, count: 32))
        let secret = Redacted([UInt8](repeating: 9, count: 32))
        guard let receiver = PaykitReceiverPath("router/wallet"), let shop = PaykitReceiverPath("shop/server") else {
            throw PaymentError(.providerFault, "these are receivers")
        }
        let links = try PaykitLinkPayments(
            as: payer.publicKey, receiver: receiver, secret: secret, store: states, chain: .regtest)
        return ConformanceSubject(
            PaykitProvider(network: try .sandbox(url), reader: StandardsReader(), links: links),
            payer: Payer(settler: current), canaries: [Subjects.secret, RequestPlace.reference]
        ) { behaviour, clock, random in
            let sandbox = PubkySandbox(clock: clock, random: random)
            states.begin()
            let place = RequestPlace(sandbox: sandbox, url: url, clock: clock, random: random)
            let asking = try await place.user(
                await sandbox.createUser(.thirdGeneration).keyPair, shop, Redacted([UInt8](repeating: 8, count: 32)),
                InMemorySealedStates())
            let asked = try await place.user(payer, receiver, secret, states)
            let link = try await place.request(of: asking, to: asked)
            current.set(
                SandboxSettler(at: url, over: DirectTransport(service: sandbox)), neverEnds: behaviour == .neverSettles)
            return ConformanceSubject.Backend(
                link: link, services: ["127.0.0.1:6287": sandbox, "localhost:6287": sandbox]
            ) {
                await sandbox.ledger.events(of: asking.key.text).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }
}

/// The place of two users with a private link.
private struct RequestPlace {
    /// A text that must stay within the link.
    static let reference = "canary-two-teas"
    private static let bolt11 = "btc-lightning-bolt11"

    let sandbox: PubkySandbox
    let url: HTTPURL
    let clock: any PaymentClock
    let random: any RandomSource

    struct User {
        let key: PubkyKey
        let receiver: PaykitReceiverPath
        let session: PubkySession
        let flow: PrivateLinkFlow
    }

    func user(
        _ pair: PubkyKeyPair, _ receiver: PaykitReceiverPath, _ secret: Redacted<[UInt8]>,
        _ states: any SealedStateStore
    ) async throws -> User {
        let transport = DirectTransport(service: sandbox)
        let pkarr = PkarrClient(relays: try PubkyNetwork.sandbox(url).relays, http: transport, clock: clock)
        let reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport)
        // No two users sign in at the same moment.
        try await clock.sleep(for: .seconds(1))
        let session = try await PubkyAccount(pair, at: sandbox.homeserver, reader, pkarr, clock: clock)
            .open(receiver.capabilities)
        let flow = PrivateLinkFlow(
            pair.publicKey, as: receiver, try PrivateLinkKeys(secret: secret), reader, store: states, clock: clock,
            random: random)
        try await flow.publishMarker(session)
        return User(key: pair.publicKey, receiver: receiver, session: session, flow: flow)
    }

    /// Links two users, and makes one request 2100 satoshi from the other.
    ///
    /// - Returns: the router's link to the request.
    func request(of payee: User, to payer: User) async throws -> String {
        try await deliver(payee, payer)
        let invoice = await sandbox.createInvoice(2100, for: payee.key)
        let terms = PaymentTerms(
            try PrivateLinkAmount("0.000021", "btc"), reference: Self.reference,
            identifiers: [Self.bolt11].compactMap { PaykitIdentifier($0) })
        let id = try await payee.flow.ask(
            for: terms, at: [PaykitEndpoint(methodID: Self.bolt11, endpoint: invoice)],
            payee.flow.party(payer.key, payer.receiver))
        try await deliver(payee, payer)
        guard let link = PaykitRequestURL(id, from: payee.key, app: payee.receiver, recurs: false) else {
            throw PaymentError(.providerFault, "the payee has asked")
        }
        return link.text
    }

    /// Both poll until every message has arrived.
    private func deliver(_ first: User, _ second: User) async throws {
        for _ in 0..<4 {
            try await first.flow.poll(second.key, second.receiver, first.session)
            try await second.flow.poll(first.key, first.receiver, second.session)
        }
    }
}

/// The stored state of the running trial.
private final class CurrentStates: SealedStateStore {
    private let current = Mutex<InMemorySealedStates>(InMemorySealedStates())

    func begin() { current.withLock { $0 = InMemorySealedStates() } }
    func states(named name: String) async throws -> [String: SealedState] {
        await current.withLock { $0 }.states(named: name)
    }
    func keep(_ states: [String: SealedState], removing names: [String]) async throws -> Bool {
        await current.withLock { $0 }.keep(states, removing: names)
    }
}
