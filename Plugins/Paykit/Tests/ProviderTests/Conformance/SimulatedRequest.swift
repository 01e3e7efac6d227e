import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentStandards
import PaymentTesting
import Synchronization

/// A payee's request over a private link, made by two users without earlier contact.
struct SimulatedRequest: SimulatedVendor {
    let scenarios = [
        SimulatedScenario("request", "it is paid", ending: .paid),
        SimulatedScenario("endless", "it stays in flight", ending: .open),
    ]
    let services: [any PaymentService]
    let secrets = [RequestPlace.reference]
    private let place: RequestPlace
    private let settler: TestSettler
    private let payerKeys: PubkyKeyPair
    private let states = InMemoryRecords()
    private let receiver: PaykitReceiverPath
    private let shop: PaykitReceiverPath

    private static let secret = Redacted([UInt8](repeating: 9, count: 32))

    init(clock: any PaymentClock, random: any RandomSource) throws {
        let url = try HTTPURL("http://127.0.0.1:6287")
        guard let receiver = PaykitReceiverPath("router/wallet"), let shop = PaykitReceiverPath("shop/server") else {
            throw PaymentError(.providerFault, "these are receivers")
        }
        (self.receiver, self.shop) = (receiver, shop)
        payerKeys = try PubkyKeyPair(seed: [UInt8](repeating: 7, count: 32))
        let links = try PaykitLinkPayments(
            as: payerKeys.publicKey, receiver: receiver, secret: Self.secret, store: states, chain: .regtest)
        services = [PaykitProvider(network: try .sandbox(url), reader: StandardsReader(), links: links)]
        let sandbox = PubkySandbox(clock: clock, random: random)
        place = RequestPlace(sandbox: sandbox, url: url, clock: clock, random: random)
        settler = TestSettler(SandboxSettler(at: url, over: DirectTransport(service: sandbox)))
    }

    var payer: Payer { Payer(settler: settler) }

    var hosts: [String: any SandboxService] {
        ["127.0.0.1:6287": place.sandbox, "localhost:6287": place.sandbox]
    }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        settler.neverEnds = scenario.ending == .open
        let asking = try await place.user(
            await place.sandbox.createUser(.thirdGeneration).keyPair, shop,
            Redacted([UInt8](repeating: 8, count: 32)), InMemoryRecords())
        let asked = try await place.user(payerKeys, receiver, Self.secret, states)
        return PayeePayment(
            sandbox: place.sandbox, payee: asking.key, link: try await place.request(of: asking, to: asked))
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

    func user(
        _ pair: PubkyKeyPair, _ receiver: PaykitReceiverPath, _ secret: Redacted<[UInt8]>,
        _ states: any RecordStore
    ) async throws -> LinkUser {
        try await LinkUser(
            pair, as: receiver, secret: secret, states, at: sandbox, over: DirectTransport(service: sandbox), url,
            clock: clock, random: random)
    }

    /// Links two users, and makes one request 2100 satoshi from the other.
    ///
    /// - Returns: the router's link to the request.
    func request(of payee: LinkUser, to payer: LinkUser) async throws -> String {
        try await LinkUser.deliver(payee, payer)
        let invoice = await sandbox.createInvoice(2100, for: payee.key)
        let terms = PaymentTerms(
            try PrivateLinkAmount("0.000021", "btc"), reference: Self.reference,
            identifiers: [Self.bolt11].compactMap { PaykitIdentifier($0) })
        let id = try await payee.flow.ask(
            for: terms, at: [PaykitEndpoint(methodID: Self.bolt11, endpoint: invoice)],
            payee.flow.party(payer.key, payer.receiver))
        try await LinkUser.deliver(payee, payer)
        guard let link = PaykitRequestURL(id, from: payee.key, app: payee.receiver, recurs: false) else {
            throw PaymentError(.providerFault, "the payee has asked")
        }
        return link.text
    }
}
