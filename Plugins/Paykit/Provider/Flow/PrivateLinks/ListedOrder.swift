import PaymentSettlement

/// A payment without a request, at an endpoint sent to the payer alone (Protocol 12.9), as journals store it.
struct ListedOrder: StoredOrder, Sendable, Hashable {
    let payee: String
    let app: String
    /// The version of the list that the endpoint is from: a list serves one payment.
    let version: Int
    let identifier: String
    let value: String

    static let place = "list"
    static let prefix = "private-"

    init(_ list: PrivateLinkFlow.UnusedList, _ endpoint: PaykitEndpoint) {
        payee = list.party.peer.text
        app = list.party.peerReceiver.text
        version = list.version
        identifier = endpoint.methodID
        value = endpoint.endpoint
    }

    var endpoint: PaykitEndpoint { PaykitEndpoint(methodID: identifier, endpoint: value) }
}

extension PrivateLinkFlow {
    /// A list of endpoints that no payment has used yet.
    struct UnusedList: Sendable {
        let party: PrivateLinkParty
        let version: Int
        let endpoints: [PaykitEndpoint]
    }

    /// Returns the unused list of a user's only app that has sent one; nil if none has, several have, or the app shows
    /// a key that is not confirmed.
    func unusedList(of peer: PubkyKey) async throws(PaykitNetworkError) -> UnusedList? {
        guard peer != user else { return nil }
        var found: [UnusedList] = []
        for party in try await states.parties(of: user, receiver, with: peer) {
            guard let record = try await held(party)?.record, record.shownKey == nil, let list = record.list,
                list.version > list.used
            else { continue }
            let endpoints = record.unusedEndpoints(of: list)
            if !endpoints.isEmpty {
                found.append(UnusedList(party: party, version: list.version, endpoints: endpoints))
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Uses up a list for one payment. A repeated call for the same payment succeeds. `payment` is the settler's name
    /// for the payment. Returns false if another payment has used the list, or a later one has replaced it.
    func useList(
        _ version: Int, by payment: String, _ party: PrivateLinkParty
    ) async throws(PaykitNetworkError) -> Bool {
        try await change(party) { record throws(PaykitNetworkError) in
            try record.requireTrust()
            guard let list = record.list, list.version == version else { return false }
            guard list.used < version else { return list.usedBy == payment }
            record.list?.used = version
            record.list?.usedBy = payment
            return true
        }
    }
}

extension PrivateLinkRecord {
    /// Returns the endpoints of a list that no payment of a request has begun to use, in the order of their names.
    func unusedEndpoints(of list: List) -> [PaykitEndpoint] {
        let taken = Set(requests.rows.flatMap(\.payments.values).filter { $0.stage != .failed }.map(\.endpoint))
        return list.endpoints.sorted { $0.key < $1.key }.compactMap { name, text in
            guard let identifier = PaykitIdentifier(name), let payload = EndpointPayload(Array(text.utf8)),
                identifier.allows(payload.value), !taken.contains(payload.value)
            else { return nil }
            return PaykitEndpoint(methodID: name, payload)
        }
    }
}

/// Payments to a user without a request, from the list that they have sent to the payer alone.
extension PaymentFlow {
    /// Returns the list of a user and what the payer's settler can pay of it; nil if there is none.
    func listed(by key: PubkyKey) async -> (list: PrivateLinkFlow.UnusedList, offers: [EndpointOffers.Offer])? {
        guard let links else { return nil }
        let flow = links.flow(directory.reader, clock: context.clock, random: context.random)
        // What cannot be read here is reported by the link's own calls; the public endpoints are paid without it.
        guard let list = try? await flow.unusedList(of: key) else { return nil }
        let check = PaykitEndpointCheck(reader, network: links.chain)
        let offers = list.endpoints.compactMap { endpoint -> EndpointOffers.Offer? in
            guard (try? check.check(endpoint, at: context.clock.now)) != nil else { return nil }
            return EndpointOffers.offers(of: endpoint, reader).first.map { (endpoint, $0) }
        }
        return offers.isEmpty ? nil : (list, offers)
    }

    /// Pays a chosen endpoint of a list, once. The list is used up before the settler is asked.
    func pay(_ attempt: PaymentAttempt, _ order: ListedOrder) async throws -> ServiceReport {
        guard let links, let payee = try? PubkyKey(bare: order.payee), let app = PaykitReceiverPath(order.app),
            let offer = EndpointOffers.offers(of: order.endpoint, reader).first, offer.takes(attempt.option.amount)
        else {
            throw PaymentError(
                .integrity, "the endpoint does not take what was chosen; nothing is handed to the settler",
                provider: id)
        }
        let name = SettlementFlow.name(for: attempt.idempotencyKey)
        let flow = links.flow(directory.reader, clock: context.clock, random: context.random)
        let provider = id
        return try await SettlementFlow.pay(attempt, to: offer.endpoint, in: context) {
            let isUsed: Bool
            do throws(PaykitNetworkError) {
                isUsed = try await flow.useList(order.version, by: name, try flow.party(payee, app))
            } catch { throw PaymentError(error, provider: provider) }
            guard !isUsed else { return }
            throw PaymentError(
                .notSettled,
                "the settler was not asked: another payment has used what the payee has sent, or they have sent a new list",
                provider: provider)
        }
    }
}
