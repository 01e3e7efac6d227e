import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The private links of a user whose key can be computed, at a sandbox that runs elsewhere.
struct SandboxLinks: PrivateLinks {
    private let pair: PubkyKeyPair
    private let url: HTTPURL
    private let transport: any HTTPTransport
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let settings: PaykitLinkPayments

    var user: String { pair.publicKey.text }

    init(
        _ settings: PrivateSettings, at url: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock,
        random: any RandomSource
    ) throws {
        pair = try Self.pair(settings)
        self.settings = try Self.payments(settings, PaykitVendor.store(settings))
        (self.url, self.transport, self.clock, self.random) = (url, transport, clock, random)
    }

    /// Returns the key of the user that a seed names.
    static func pair(_ settings: PrivateSettings) throws -> PubkyKeyPair {
        let random = SeededRandomSource(seed: settings.seed)
        return try PubkyKeyPair(seed: (0..<4).flatMap { _ in Array(random.next().bigEndianBytes.reversed()) })
    }

    /// Returns the means to pay over the links of a store.
    static func payments(_ settings: PrivateSettings, _ store: any RecordStore) throws -> PaykitLinkPayments {
        guard let receiver = PaykitReceiverPath("payroute/wallet") else {
            throw PaykitNetworkError(.validationFailed, "this is a receiver")
        }
        let pair = try pair(settings)
        let secret = Digest.sha256.hash(Array("links of payroute".utf8) + pair.publicKey.bytes)
        return try PaykitLinkPayments(
            as: pair.publicKey, receiver: receiver, secret: Redacted(secret), store: store, chain: .regtest)
    }

    // MARK: Commands

    func links() async throws -> [PrivateLinkEntry] {
        let flow = try flow()
        var found: [PrivateLinkEntry] = []
        for party in try await flow.parties() { found.append(try await entry(party, nil, flow)) }
        return found
    }

    func add(_ user: String) async throws -> PrivateLinkEntry {
        let (flow, session, peer) = (try flow(), try await session(), try key(user))
        try await flow.publishMarker(session)
        return try await poll(flow.party(peer, flow.peerReceiver(of: peer)), flow, session)
    }

    func poll(_ user: String?) async throws -> [PrivateLinkEntry] {
        let (flow, session) = (try flow(), try await session())
        // Others find this user by it.
        try await flow.publishMarker(session)
        let peer = try user.map { try key($0) }
        var found: [PrivateLinkEntry] = []
        for party in try await flow.parties() where peer == nil || party.peer == peer {
            found.append(try await poll(party, flow, session))
        }
        return found
    }

    func ask(_ user: String, for amount: Money, reference: String, every unit: String?) async throws -> String {
        let (flow, session, party) = (try flow(), try await session(), try await party(with: key(user)))
        let start = PrivateLinkTime(seconds: Int64(clock.now.timeIntervalSince1970))
        let terms = PaymentTerms(
            try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference,
            recurrence: try unit.flatMap { PrivateLinkRecurrence.Unit(rawValue: $0) }.map {
                try PrivateLinkRecurrence(every: 1, $0, start: start, anchor: start, end: nil)
            }, identifiers: [Self.bolt11].compactMap { PaykitIdentifier($0) })
        let id = try await flow.ask(for: terms, at: [invoice(over: amount)], party)
        try await flow.poll(party.peer, party.peerReceiver, session)
        return id
    }

    private static let bolt11 = "btc-lightning-bolt11"

    private func invoice(over amount: Money) async throws -> PaykitEndpoint {
        let answer = try await call(
            .post, "invoices", ["user": .string(user), "amount": .number(JSONNumber(UInt64(amount.minorUnits)))])
        guard let invoice = answer?["invoice"]?.string else {
            throw PaykitNetworkError(.invalidData, "the sandbox has made no invoice")
        }
        return PaykitEndpoint(methodID: Self.bolt11, endpoint: invoice)
    }

    func payment(of id: String) async throws -> AskedPayment {
        let (party, request) = try await request(id, try flow())
        let recurs = request.terms.recurrence != nil
        guard !request.isOwn,
            let link = PaykitRequestURL(id, from: party.peer, app: party.peerReceiver, recurs: recurs)
        else { throw Self.unknown }
        guard recurs else { return AskedPayment(link: link.text, user: party.peer.text, period: nil) }
        guard let amount = request.terms.amount.bitcoin else {
            throw PaykitNetworkError(.validationFailed, "only amounts of bitcoin are paid")
        }
        let period = try request.duePeriod(at: clock.now)
        let payment = PaymentReference(provider: PaykitProvider.id, id: "\(party.planName(id))/\(period.number)")
        return AskedPayment(link: link.text, user: party.peer.text, period: .init(payment, amount, period))
    }

    func answer(_ id: String, _ answer: RequestAnswer) async throws -> PrivateLinkEntry {
        let (flow, session) = (try flow(), try await session())
        let (party, _) = try await request(id, flow)
        switch answer {
        case .accept: try await flow.accept(id, party)
        case .reject(let reason): try await flow.reject(id, reason: reason, party)
        case .cancel(let reason): try await flow.cancel(id, reason: reason, party)
        }
        return try await poll(party, flow, session)
    }

    /// Returns the request with this id. Users choose the ids. Throws if several users have a request with this id.
    private func request(
        _ id: String, _ flow: PrivateLinkFlow
    ) async throws -> (party: PrivateLinkParty, request: PrivateLinkRequest) {
        var found: [(PrivateLinkParty, PrivateLinkRequest)] = []
        for party in try await flow.parties() {
            for request in try await flow.requests(with: party.peer, party.peerReceiver) where request.id == id {
                found.append((party, request))
            }
        }
        guard let first = found.first else { throw Self.unknown }
        guard found.count == 1 else {
            throw PaykitNetworkError(.invalidData, "several users have a request with this id, which names none then")
        }
        return first
    }

    private static let unknown = PaykitNetworkError(
        .notFound, "no other user has asked under this id: 'payroute links list' shows them")

    // MARK: Links

    private func flow() throws -> PrivateLinkFlow { settings.flow(try reader().reader, clock: clock, random: random) }

    private func reader() throws -> (reader: PubkyReader, pkarr: PkarrClient) {
        let pkarr = PkarrClient(relays: try PubkyNetwork.sandbox(url).relays, http: transport, clock: clock)
        return (PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport), pkarr)
    }

    private func session() async throws -> PubkySession {
        guard let text = try await call(.get, "homeserver")?["key"]?.string else {
            throw PaykitNetworkError(.invalidData, "the sandbox does not name its homeserver")
        }
        let (reader, pkarr) = try reader()
        return try await PubkyAccount(pair, at: PubkyKey(text), reader, pkarr, clock: clock).open(
            settings.receiver.capabilities)
    }

    private func key(_ text: String) throws -> PubkyKey {
        guard let key = try? PubkyKey(text) else {
            throw PaykitNetworkError(.validationFailed, "'\(text)' is no user: a user is named by a key of 52 letters")
        }
        return key
    }

    private func party(with peer: PubkyKey) async throws -> PrivateLinkParty {
        guard let party = try await flow().parties().first(where: { $0.peer == peer }) else {
            throw PaykitNetworkError(.notFound, "there is no link with \(peer): add it first")
        }
        return party
    }

    private func poll(
        _ party: PrivateLinkParty, _ flow: PrivateLinkFlow, _ session: PubkySession
    ) async throws -> PrivateLinkEntry {
        var status = try await flow.poll(party.peer, party.peerReceiver, session)
        for request in try await flow.requests(with: party.peer, party.peerReceiver) where request.isOwn {
            for message in request.state.proofs {
                guard case .preimage(_, let hash)? = PaykitProof(message), try await call(.get, hash) != nil else {
                    continue
                }
                let receipts = try await flow.receipts(for: request.id, party).count
                try await flow.issueReceipt(for: request.id, period: message.period, party, session)
                // The next period has its own invoice.
                if request.terms.recurrence != nil, try await flow.receipts(for: request.id, party).count > receipts,
                    let amount = request.terms.amount.bitcoin
                {
                    try await flow.offer([invoice(over: amount)], party)
                }
                status = try await flow.poll(party.peer, party.peerReceiver, session)
            }
        }
        return try await entry(party, status, flow)
    }

    private func entry(
        _ party: PrivateLinkParty, _ status: PrivateLinkFlow.Status?, _ flow: PrivateLinkFlow
    ) async throws -> PrivateLinkEntry {
        var requests: [PrivateLinkEntry.Request] = []
        for request in try await flow.requests(with: party.peer, party.peerReceiver) {
            requests.append(
                PrivateLinkEntry.Request(
                    id: request.id, isOwn: request.isOwn, amount: request.terms.amount.bitcoin,
                    reference: request.terms.reference, phase: request.state.phase.rawValue,
                    receipts: try await flow.receipts(for: request.id, party).count))
        }
        return PrivateLinkEntry(
            user: party.peer.text, app: party.peerReceiver.text, status: status?.words, requests: requests)
    }

    /// Returns the sandbox's answer; nil if it knows nothing.
    private func call(
        _ method: HTTPRequest.Method, _ word: String, _ body: JSONValue? = nil
    ) async throws -> JSONValue? {
        let response = try await transport.send(
            HTTPRequest(
                method, try url.appending(["sandbox", "paykit", word]),
                headers: body == nil ? [:] : ["Content-Type": "application/json"], body: body?.serialized() ?? []))
        guard response.status != 404 else { return nil }
        guard response.status == 200, let answer = try? JSONValue(parsing: response.body) else {
            throw PaykitNetworkError(
                .invalidData, "\(url.text) answers \(response.status): it is no sandbox of Paykit's")
        }
        return answer
    }
}
