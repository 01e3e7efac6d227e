import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport

/// A payer and a payee, their homeserver, and the faults between them.
struct LinkWorld: Sendable {
    let sandbox: PubkySandbox
    let clock = VirtualClock()
    let fate: LinkFate
    let bank = LinkBank()
    let payer: LinkParticipant
    let payee: LinkParticipant
    /// The references of the requests: the payee's records, which are stored elsewhere.
    let references: [String]

    init(seed: UInt64, trouble: UInt64) async throws {
        fate = LinkFate(seed: seed, trouble: 0)
        sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: seed))
        let bank = self.bank
        let secrets: @Sendable () -> [String] = { bank.preimages + ["order 1", "paykit.payment_request", "lnbcrt1"] }
        // The initiator depends on the keys, so that both roles occur.
        payer = try await LinkParticipant(
            seed: [UInt8](repeating: UInt8(truncatingIfNeeded: seed % 97 + 1), count: 32), "payer/wallet", sandbox,
            clock, fate, SeededRandomSource(seed: seed &* 3 + 1), secrets)
        payee = try await LinkParticipant(
            seed: [UInt8](repeating: UInt8(truncatingIfNeeded: seed % 89 + 101), count: 32), "shop/server", sandbox,
            clock, fate, SeededRandomSource(seed: seed &* 5 + 2), secrets)
        references = (1...(1 + fate.number(below: 3))).map { "order \($0)" }
        fate.begin(trouble: trouble)
    }

    /// Advances the world by one turn. Each participant is online in half of the turns, independently of the other.
    func turn(_ verdict: inout LinkHistory.Verdict) async {
        clock.advance(by: .seconds(Int64(1 + fate.number(below: 90))))
        let who = fate.number(below: 4)
        if who & 1 == 1 { await work(payer, &verdict) { try await payersTurn() } }
        if who & 2 == 2 { await work(payee, &verdict) { try await payeesTurn() } }
        if fate.happens(100) { await payer.line.bringLate() }
        if fate.happens(100) { await payee.line.bringLate() }
        // A phone that fell into the water: the same seed phrase, and an empty store.
        if fate.happens(4) { payer.disk.lose() }
        for one in [payer, payee] where fate.happens(6) { one.disk.loseChannels() }
        // A payee that has forgotten a request asks again, under another id: only the payer's backup is put back.
        if fate.happens(30) { payer.disk.backUp() }
        if fate.happens(6) { payer.disk.restore() }
    }

    private func work(
        _ participant: LinkParticipant, _ verdict: inout LinkHistory.Verdict, _ work: () async throws -> Void
    ) async {
        participant.line.revive()
        // Failed work is repeated at the next look.
        try? await work()
        if participant.line.isDead { verdict.crashes += 1 }
    }

    func calm() async {
        fate.calm()
        payer.line.revive()
        payee.line.revive()
        // Delayed requests arrive at last.
        await payer.line.bringLate()
        await payee.line.bringLate()
    }

    // MARK: What the applications do

    private func payersTurn() async throws {
        let party = payer.party(with: payee)
        let flow = payer.flow
        try await flow.poll(payee.key, payee.receiver, payer.session)
        for request in try await flow.requests(with: payee.key, payee.receiver) where !request.isOwn {
            if request.state.phase == .proposed { try await flow.accept(request.id, party) }
            let settler = SimulatedLinkSettler(bank: bank, fate: fate, line: payer.line, request: request.id)
            // Paid requests are made again, too: an application may forget.
            do throws(PaykitNetworkError) {
                _ = try await flow.pay(request.id, party, with: settler, check: SimulatedLinkSettler.check)
            } catch {
                guard [.methodNotSupported, .paymentRejected].contains(error.code) else { throw error }
            }
        }
        try await flow.poll(payee.key, payee.receiver, payer.session)
    }

    private func payeesTurn() async throws {
        let party = payee.party(with: payer)
        let flow = payee.flow
        try await flow.poll(payer.key, payer.receiver, payee.session)
        var requests = try await flow.requests(with: payer.key, payer.receiver)
        for reference in references where !requests.contains(where: { $0.terms.reference == reference }) {
            guard let terms = try? terms(reference) else { continue }
            _ = try await flow.ask(for: terms, at: [offer()], party)
            requests = try await flow.requests(with: payer.key, payer.receiver)
            // The others later.
            break
        }
        var isOpen = false
        for request in requests where request.isOwn {
            guard let proof = request.state.proofs.first else {
                isOpen = true
                continue
            }
            guard case .preimage(_, let hash)? = PaykitProof(proof), bank.isPaid(hash: hash) else { continue }
            try await flow.issueReceipt(for: request.id, party, payee.session)
        }
        // An invoice is valid for one payment.
        if isOpen, fate.number(below: 3) == 0 { try await flow.offer([offer()], party) }
        try await flow.poll(payer.key, payer.receiver, payee.session)
    }

    /// A new invoice of the payee's.
    func offer() -> PaykitEndpoint {
        PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: bank.invoice())
    }

    /// The terms of a request over 1,000 satoshi.
    func terms(_ reference: String, until end: PrivateLinkTime? = nil) throws -> PaymentTerms {
        PaymentTerms(
            try PrivateLinkAmount("0.00001", "btc"), reference: reference, expiresAt: end,
            identifiers: ["btc-lightning-bolt11"].compactMap { PaykitIdentifier($0) })
    }

    // MARK: The end

    func isDone() async throws -> Bool {
        let requests = try await payee.flow.requests(with: payer.key, payer.receiver)
        guard requests.count == references.count else { return false }
        for request in requests {
            let (own, others) = try await receipts(request.id)
            guard !own.isEmpty, own == others else { return false }
        }
        return true
    }

    private func receipts(_ id: String) async throws -> ([PrivateLinkReceipt], [PrivateLinkReceipt]) {
        (
            try await payee.flow.receipts(for: id, payee.party(with: payer)),
            try await payer.flow.receipts(for: id, payer.party(with: payee))
        )
    }

    func judge(_ verdict: inout LinkHistory.Verdict) async throws {
        payer.line.revive()
        payee.line.revive()
        let breaches = payer.line.breaches.union(payee.line.breaches).union(payer.disk.breaches)
            .union(payee.disk.breaches)
        verdict.breaches += breaches.sorted()
        verdict.requests = payer.line.requests + payee.line.requests
        verdict.payments = bank.payments
        let requests = try await payee.flow.requests(with: payer.key, payer.receiver)
        if Set(requests.map(\.terms.reference)) != Set(references) || requests.count != references.count {
            verdict.breaches.append("\(requests.count) requests in place of \(references.count)")
        }
        for request in requests {
            let name = request.terms.reference
            let times = bank.times(request.id)
            if times != 1 { verdict.breaches.append("\(name) was paid \(times) times") }
            if request.state.phase != .proven {
                verdict.breaches.append("\(name) is \(request.state.phase) at the payee's")
            }
            let (own, others) = try await receipts(request.id)
            if own.count != 1 || own != others {
                verdict.breaches.append(
                    "\(name) has \(own.count) receipts at the payee's and \(others.count) at the payer's")
            }
        }
        if bank.payments != references.count {
            verdict.breaches.append("\(bank.payments) payments for \(references.count) requests")
        }
        if bank.doubled > 0 { verdict.breaches.append("an invoice was paid twice") }
    }
}

/// One of the two: a wallet with its keys, its store and its connection.
struct LinkParticipant: Sendable {
    let key: PubkyKey
    let receiver: PaykitReceiverPath
    let session: PubkySession
    let line: LinkLine
    let disk: LinkDisk
    private let keys: PrivateLinkKeys
    private let reader: PubkyReader
    private let clock: VirtualClock
    private let random: SeededRandomSource

    /// The program that runs at present.
    var flow: PrivateLinkFlow {
        PrivateLinkFlow(
            key, as: receiver, keys, reader, store: disk, clock: clock, random: random, process: disk.program)
    }

    init(
        seed: [UInt8], _ path: String, _ sandbox: PubkySandbox, _ clock: VirtualClock, _ fate: LinkFate,
        _ random: SeededRandomSource, _ secrets: @escaping @Sendable () -> [String]
    ) async throws {
        guard let receiver = PaykitReceiverPath(path) else { throw Crash() }
        let network = try PubkyNetwork.sandbox(HTTPURL("http://localhost:6286"))
        let pair = try PubkyKeyPair(seed: seed)
        keys = try PrivateLinkKeys(secret: Redacted(Digest.sha256.hash(seed + [1])))
        line = LinkLine(sandbox, fate, secrets: secrets)
        disk = LinkDisk(fate, line, secrets: secrets)
        let pkarr = PkarrClient(relays: network.relays, http: line, clock: clock)
        reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: line)
        clock.advance(by: .seconds(1))
        session = try await PubkyAccount(pair, at: sandbox.homeserver, reader, pkarr, clock: clock).open(
            receiver.capabilities)
        key = pair.publicKey
        self.receiver = receiver
        self.clock = clock
        self.random = random
        try await flow.publishMarker(session)
    }

    func party(with other: LinkParticipant) -> PrivateLinkParty {
        PrivateLinkParty(key, receiver, with: other.key, other.receiver)
    }
}
