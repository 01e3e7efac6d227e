import PaykitProvider
import PaymentCore
import PaymentStandards
import PaymentTesting

/// A user's app with private links, as the sandbox keeps it.
struct LinkAccount: Sendable {
    let user: PubkySandbox.User
    let app: PaykitReceiverPath
    let session: PubkySession
    let plan: PubkySandbox.LinkScenario.Plan
    /// The words of its scenario for people; nil for an app that looks at its program's call only.
    let summary: String?
    /// The number of keys that it has shown before.
    var keyNumber = 0
    var states = InMemorySealedStates()
    /// The links on which it has asked or offered, with the endpoint of each.
    var begun: [PrivateLinkParty: PaykitEndpoint?] = [:]
    /// The status of each link at the last look.
    var statuses: [PrivateLinkParty: PrivateLinkFlow.Status] = [:]
    var hasFailed = false
    var isLooking = false

    var words: String { summary ?? "looks at its program's call" }
}

/// The apps with private links, and what they need.
extension PubkySandbox {
    static let bolt11 = "btc-lightning-bolt11"
    static let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)
    private static let place = "http://localhost:6286"

    /// Opens an app of a user, which pays what it is asked for unless its plan says otherwise.
    func openLinks(
        of user: User, _ app: PaykitReceiverPath, _ plan: LinkScenario.Plan = .init(), summary: String? = nil
    ) async throws {
        let (reader, pkarr) = try reader()
        let session = try await PubkyAccount(user.keyPair, at: homeserver, reader, pkarr, clock: clock)
            .open(app.capabilities)
        linkAccounts[user.key] = LinkAccount(user: user, app: app, session: session, plan: plan, summary: summary)
    }

    private func reader() throws -> (PubkyReader, PkarrClient) {
        let network = try PubkyNetwork.sandbox(HTTPURL(Self.place))
        let transport = SandboxTransport(self)
        let pkarr = PkarrClient(relays: network.relays, http: transport, clock: clock)
        return (PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport), pkarr)
    }

    /// Returns the links of an app.
    func flow(of account: LinkAccount) throws -> PrivateLinkFlow {
        let name = "links of \(account.user.key) as \(account.app)"
        let number = account.keyNumber == 0 ? "" : " \(account.keyNumber)"
        return PrivateLinkFlow(
            account.user.key, as: account.app, try PrivateLinkKeys(secret: Redacted(keys.bytes(name + number))),
            try reader().0, store: account.states, clock: clock, random: random, process: name)
    }

    var settler: SandboxSettler {
        get throws { SandboxSettler(at: try HTTPURL(Self.place), over: SandboxTransport(self)) }
    }

    /// Returns the account of an app.
    ///
    /// - Throws: ``PaykitNetworkError`` when there is none.
    func linkAccount(of key: PubkyKey) throws(PaykitNetworkError) -> LinkAccount {
        guard let account = linkAccounts[key] else {
            throw PaykitNetworkError(.notFound, "the sandbox has no app with private links of \(key)")
        }
        return account
    }

    /// Asks a user for a payment, once for each link unless it is repeated by hand.
    ///
    /// - Returns: the request's id.
    func ask(
        _ satoshi: UInt64, _ request: LinkScenario.Plan.Request, at endpoint: PaykitEndpoint?,
        _ party: PrivateLinkParty
    ) async throws -> String {
        let account = try linkAccount(of: party.user)
        let amount = try Money(minorUnits: UInt128(satoshi), currency: .satoshi)
        let moment = PrivateLinkTime(seconds: Int64(now / 1_000_000))
        let terms = PaymentTerms(
            try PrivateLinkAmount(amount.decimalText, request.asset), reference: request.reference,
            expiresAt: request.isLate ? PrivateLinkTime(seconds: Int64(now / 1_000_000) - 60) : nil,
            recurrence: try request.unit.map {
                try PrivateLinkRecurrence(every: 1, $0, start: moment, anchor: moment, end: nil)
            }, identifiers: [Self.bolt11, "btc-regtest-p2wpkh"].compactMap { PaykitIdentifier($0) })
        return try await flow(of: account).ask(for: terms, at: endpoint.map { [$0] }, party)
    }

    /// Returns an endpoint of a user; nil where the way is none.
    func endpoint(_ way: LinkScenario.Plan.Way, _ satoshi: UInt64, of key: PubkyKey) -> PaykitEndpoint? {
        let time = now / 1_000_000
        let text: String
        switch way {
        case .none: return nil
        case .address:
            return PaykitEndpoint(methodID: "btc-regtest-p2wpkh", endpoint: self.text(of: .address, for: key))
        case .invoice: text = createInvoice(satoshi, for: key)
        case .otherAmount: text = createInvoice(satoshi * 10, for: key)
        case .otherNetwork: text = invoice(satoshi, for: key, at: time, chain: .mainnet)
        case .expired: text = self.text(of: .expiredInvoice, for: key)
        }
        return PaykitEndpoint(methodID: Self.bolt11, endpoint: text)
    }

    /// Returns true if a user has received a payment of at least this amount, as a proof says.
    func hasReceived(_ proof: PaykitProof, _ amount: Money?, _ key: PubkyKey) -> Bool {
        let name: String
        switch proof {
        case .preimage(_, let hash): name = hash
        case .transaction(let id): name = id
        default: return false
        }
        guard let amount, let paid = received[key]?.first(where: { $0.name == name }) else { return false }
        return UInt128(paid.amount) >= amount.minorUnits
    }
}
