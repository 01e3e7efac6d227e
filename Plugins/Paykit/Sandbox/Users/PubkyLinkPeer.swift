public import PaykitProvider
import PaymentCore
import PaymentStandards
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PubkySandbox {
    /// A user with a generation 3 app that accepts private links. At each look it issues receipts, accepts requests
    /// and pays them; it can also ask for payments. The money is simulated.
    public struct LinkPeer: Sendable {
        /// The user.
        public let user: User
        /// The user's app.
        public let app: PaykitReceiverPath
        private let sandbox: PubkySandbox

        init(_ user: User, _ app: PaykitReceiverPath, in sandbox: PubkySandbox) {
            (self.user, self.app, self.sandbox) = (user, app, sandbox)
        }

        /// Publishes that the app accepts private links, as after its installation.
        ///
        /// - Throws: `PaykitNetworkError`.
        public func publish() async throws { try await sandbox.publishLinks(of: user.key) }

        /// Asks a user for a payment, at an invoice made for it. The request is sent when this peer looks.
        ///
        /// - Parameters:
        ///   - satoshis: the amount.
        ///   - reference: the purpose.
        ///   - payer: the user. This peer must have looked at their messages before.
        ///   - other: the user's app.
        /// - Returns: the request's id.
        /// - Throws: `PaykitNetworkError`.
        public func ask(
            _ satoshis: UInt64, for reference: String, of payer: PubkyKey, _ other: PaykitReceiverPath
        ) async throws -> String {
            try await sandbox.ask(
                satoshis, .init(reference: reference), at: sandbox.endpoint(.invoice, satoshis, of: user.key),
                PrivateLinkParty(user.key, app, with: payer, other))
        }

        /// Looks once at a user's messages, and reacts as an app does: issues receipts for payments that have arrived,
        /// accepts requests, and pays. A peer of a ``LinkScenario`` does so by itself before its description is read.
        ///
        /// - Parameters:
        ///   - key: the user.
        ///   - other: the user's app.
        /// - Throws: `PaykitNetworkError`; failures are retried at the next look.
        public func look(at key: PubkyKey, _ other: PaykitReceiverPath) async throws {
            try await sandbox.look(as: user.key, at: key, other)
        }
    }

    /// Creates a user with a generation 3 app. Others find it once it is published.
    ///
    /// - Parameters:
    ///   - app: its receiver path.
    ///   - scenario: further files that the user publishes.
    ///   - name: for the profile; nil for one of the sandbox's names.
    /// - Throws: `PaykitNetworkError` when the homeserver refuses the user.
    public func createLinkPeer(
        _ app: PaykitReceiverPath, _ scenario: Scenario = .thirdGeneration, name: String? = nil
    ) async throws -> LinkPeer {
        let user = createUser(scenario, name: name)
        try await openLinks(of: user, app)
        return LinkPeer(user, app, in: self)
    }

    /// Creates a user with a published app that behaves on its links as a scenario says, with every user of this
    /// homeserver whose app accepts links. It looks at its links by itself, each time before its description is read.
    ///
    /// - Parameters:
    ///   - scenario: the behaviour.
    ///   - name: for the profile; nil for one of the sandbox's names.
    /// - Throws: `PaykitNetworkError` when the homeserver refuses the user.
    @discardableResult
    public func createLinkPeer(_ scenario: LinkScenario, name: String? = nil) async throws -> LinkPeer {
        guard let app = PaykitReceiverPath("bitkit/wallet"), let other = PaykitReceiverPath("shop/server") else {
            throw PaykitNetworkError(.validationFailed, "these are no apps")
        }
        let fault = scenario.plan.fault
        let user = createUser(fault == .laterForm ? .appRegistry : .emptyDirectory, name: name)
        try await openLinks(of: user, app, scenario.plan, summary: scenario.summary)
        switch fault {
        case .noApp, .laterForm: break
        case .noKey: publish(marker(of: app, nil).bytes, at: ReceiverMarker.path(of: app), of: user.key)
        default: try await publishLinks(of: user.key)
        }
        switch fault {
        case .severalApps:
            publish(marker(of: other, user.key).bytes, at: ReceiverMarker.path(of: other), of: user.key)
        case .serverFails: plans[user.key]?.server = .fails
        case .storageFull:
            let used = tenants[user.key]?.used
            tenants[user.key]?.quota = used
        default: break
        }
        return LinkPeer(user, app, in: self)
    }

    func publishLinks(of key: PubkyKey) async throws {
        let account = try linkAccount(of: key)
        try await flow(of: account).publishMarker(account.session)
    }

    private func marker(of app: PaykitReceiverPath, _ key: PubkyKey?) -> ReceiverMarker {
        ReceiverMarker(app, noiseKey: key)
    }
}

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
    var states = InMemoryRecords()
    /// The links with a request or offer by this app, with the endpoint of each.
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

    /// Returns an endpoint of a user; nil for the way `none`.
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

/// The conduct of apps with private links: the reaction of an app at each look, by its plan.
extension PubkySandbox {
    /// The amount that apps ask for by themselves, in satoshi.
    static let askedSatoshi: UInt64 = 2100

    /// Has an app look once at a user's messages, and react.
    ///
    /// - Throws: `PaykitNetworkError`; failures are retried at the next look.
    func look(as key: PubkyKey, at other: PubkyKey, _ otherApp: PaykitReceiverPath) async throws {
        let account = try linkAccount(of: key)
        guard account.plan.fault != .silent else { return }
        let flow = try flow(of: account)
        let party = try flow.party(other, otherApp)
        if account.plan.fault == .otherKey, account.keyNumber == 0, account.begun[party] != nil {
            return try await changeKey(of: account)
        }
        let status = try await flow.poll(other, otherApp, account.session)
        for request in try await flow.requests(with: other, otherApp) {
            if request.isOwn {
                try await confirm(request, of: party, account, flow)
            } else {
                try await answer(request, of: party, account, flow)
            }
        }
        let before = Set(paths(of: key))
        let hasBegun = status == .linked ? try await begin(party, account) : false
        // The state may have been lost in the meantime, as its plan says.
        guard linkAccounts[key]?.hasFailed == account.hasFailed else { return }
        let result = try await flow.poll(other, otherApp, account.session)
        linkAccounts[key]?.statuses[party] = result
        if hasBegun { fail(account, Set(paths(of: key)).subtracting(before)) }
    }

    // MARK: Its requests

    /// Asks, or offers, once on each link.
    ///
    /// - Returns: true if it has.
    private func begin(_ party: PrivateLinkParty, _ account: LinkAccount) async throws -> Bool {
        let (key, plan) = (account.user.key, account.plan)
        guard account.begun[party] == nil else { return false }
        if plan.fault == .losesState, !account.hasFailed {
            linkAccounts[key]?.states = InMemoryRecords()
            linkAccounts[key]?.hasFailed = true
            return false
        }
        let endpoint = endpoint(plan.asks?.way ?? plan.offers ?? .none, Self.askedSatoshi, of: key)
        linkAccounts[key]?.begun[party] = .some(endpoint)
        if let request = plan.asks {
            let id = try await ask(Self.askedSatoshi, request, at: endpoint, party)
            guard plan.cancels == .atOnce else { return true }
            try await flow(of: account).cancel(id, reason: "it is not needed any more", party)
        } else if let endpoint {
            try await flow(of: account).offer([endpoint], party)
        }
        return true
    }

    /// Issues receipts for payments that have arrived, and sends what the next payment needs.
    private func confirm(
        _ request: PrivateLinkRequest, of party: PrivateLinkParty, _ account: LinkAccount, _ flow: PrivateLinkFlow
    ) async throws {
        let (key, plan, amount) = (account.user.key, account.plan, request.terms.amount.bitcoin)
        if request.state.phase == .active, let last = account.begun[party] ?? nil,
            invoices.values.contains(where: { $0.text == last.endpoint && $0.end <= now / 1_000_000 })
        {
            try await offerNext(of: request, party, flow)
        }
        for message in request.state.proofs {
            let isNew = request.issued[PrivateLinkRequest.key(request.id, message.period)]?.isAnnounced != true
            guard isNew, plan.receipts != .none, let proof = PaykitProof(message), hasReceived(proof, amount, key)
            else { continue }
            let before = Set(paths(of: key))
            try await flow.issueReceipt(for: request.id, period: message.period, party, account.session)
            for path in Set(paths(of: key)).subtracting(before) {
                switch plan.receipts {
                case .missing: unpublish(path, of: key)
                case .unreadable: publish(Self.damaged, at: path, of: key)
                case .issued, .none: break
                }
            }
            if plan.cancels == .afterPayment {
                try await flow.cancel(request.id, reason: "thank you, it is enough", party)
            } else if request.terms.recurrence != nil {
                // The next period has its own invoice.
                try await offerNext(of: request, party, flow)
            } else if plan.reusesInvoice, let request = plan.asks, let used = account.begun[party] ?? nil {
                linkAccounts[key]?.begun[party] = .some(nil)
                _ = try await ask(Self.askedSatoshi, request, at: used, party)
            }
        }
    }

    private func offerNext(
        of request: PrivateLinkRequest, _ party: PrivateLinkParty, _ flow: PrivateLinkFlow
    ) async throws {
        guard let amount = request.terms.amount.bitcoin,
            let next = endpoint(.invoice, UInt64(clamping: amount.minorUnits), of: party.user)
        else { return }
        linkAccounts[party.user]?.begun[party] = .some(next)
        try await flow.offer([next], party)
    }

    // MARK: Requests of others

    private func answer(
        _ request: PrivateLinkRequest, of party: PrivateLinkParty, _ account: LinkAccount, _ flow: PrivateLinkFlow
    ) async throws {
        let isNew = request.state.phase == .proposed
        switch account.plan.answers {
        case .ignores: break
        case .rejects where isNew: try await flow.reject(request.id, reason: "this is not mine", party)
        case .accepts where isNew: try await flow.accept(request.id, party)
        case .pays where isNew || [.accepted, .active].contains(request.state.phase):
            do throws(PaykitNetworkError) {
                let period =
                    request.terms.recurrence == nil ? nil : BillingPeriod(try request.duePeriod(at: clock.now))
                try await pay(request.id, period, of: party, flow)
            } catch {
                // The endpoint may arrive later. A request that cannot be paid stays unpaid.
                let reasons: [PaykitNetworkError.Code] = [
                    .methodNotSupported, .paymentRejected, .invoiceExpired, .validationFailed,
                ]
                guard reasons.contains(error.code) else { throw error }
            }
        default: break
        }
    }

    private func pay(
        _ id: String, _ period: BillingPeriod?, of party: PrivateLinkParty, _ flow: PrivateLinkFlow
    ) async throws(PaykitNetworkError) {
        guard let settler = try? settler else { return }
        _ = try await flow.pay(id, period: period, party, with: settler, check: Self.check)
    }

    // MARK: Faults

    private static let damaged = Array("damaged".utf8)

    /// Has a plan's fault happen once, after the app has asked.
    ///
    /// - Parameter files: the files that the look has written.
    private func fail(_ account: LinkAccount, _ files: Set<String>) {
        let key = account.user.key
        guard !account.hasFailed else { return }
        switch account.plan.fault {
        case .losesFiles: for path in files { unpublish(path, of: key) }
        case .spoilsFiles: for path in files { publish(Self.damaged, at: path, of: key) }
        default: return
        }
        linkAccounts[key]?.hasFailed = true
    }

    /// Has an app show another key, as a newly installed one does.
    private func changeKey(of account: LinkAccount) async throws {
        let key = account.user.key
        linkAccounts[key]?.keyNumber += 1
        linkAccounts[key]?.states = InMemoryRecords()
        linkAccounts[key]?.begun = [:]
        try await flow(of: linkAccount(of: key)).publishMarker(account.session)
    }

    // MARK: Looking

    /// Has an app look at its links before its description is read. Each poll of a link with it begins by reading it.
    func lookAtLinks(reading path: String, of owner: PubkyKey) async {
        guard let account = linkAccounts[owner], account.summary != nil, !account.isLooking,
            path == ReceiverMarker.path(of: account.app)
        else { return }
        linkAccounts[owner]?.isLooking = true
        for (user, app) in linkUsers { try? await look(as: owner, at: user, app) }
        linkAccounts[owner]?.isLooking = false
    }

    /// The users of other programs who publish that their apps accept links, with the apps.
    private var linkUsers: [(PubkyKey, PaykitReceiverPath)] {
        let (root, end) = (ReceiverDirectory.root, "/receiver.json")
        return tenants.keys.filter { linkAccounts[$0] == nil }.sorted { $0.text < $1.text }.flatMap { key in
            paths(of: key).filter { $0.hasPrefix(root) && $0.hasSuffix(end) }.compactMap { path in
                PaykitReceiverPath(String(path.dropFirst(root.count).dropLast(end.count))).map { (key, $0) }
            }
        }
    }
}

extension PrivateLinkRequest {
    /// Returns the earliest of the latest 32 periods that have begun and are not paid; if all are paid, the latest.
    /// Throws ``PaykitNetworkError``, `validationFailed`, if it does not recur, or no period has begun.
    func duePeriod(at now: Date) throws(PaykitNetworkError) -> RecurringPeriod {
        guard let schedule = try? terms.recurrence?.schedule(), let last = schedule.lastPeriod(at: now) else {
            throw PaykitNetworkError(.validationFailed, "the first period of the request has not begun: pay it later")
        }
        let stored = max(schedule.firstNumber, last.number - Self.mostPeriods + 1)...last.number
        return stored.lazy.compactMap { schedule.period($0) }.first { !isPaid($0) } ?? last
    }

    private func isPaid(_ period: RecurringPeriod) -> Bool {
        guard let period = BillingPeriod(period) else { return true }
        return payments[Self.key(id, period)]?.stage == .paid || past[period] != nil
    }
}
