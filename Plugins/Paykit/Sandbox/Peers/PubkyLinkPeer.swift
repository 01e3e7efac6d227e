public import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentTesting

extension PubkySandbox {
    /// A user with an app of today, to whom private links lead: they ask for payments and give receipts, or accept what
    /// they are asked for and pay, whenever they look. Money that does not exist.
    public struct LinkPeer: Sendable {
        /// Who it is.
        public let user: User
        /// Which app they have.
        public let app: PaykitReceiverPath
        private let sandbox: PubkySandbox
        private let flow: PrivateLinkFlow
        private let session: PubkySession

        init(
            _ user: User, _ app: PaykitReceiverPath, in sandbox: PubkySandbox, flow: PrivateLinkFlow,
            session: PubkySession
        ) {
            self.user = user
            self.app = app
            self.sandbox = sandbox
            self.flow = flow
            self.session = session
        }

        /// Publishes that the app can be spoken to, as when somebody installs it.
        ///
        /// - Throws: `PaykitNetworkError`.
        public func publish() async throws { try await flow.publishMarker(session) }

        /// Asks somebody for a payment, at an invoice made for it. They hear of it when this peer looks.
        ///
        /// - Parameters:
        ///   - satoshis: how much.
        ///   - reference: what for.
        ///   - payer: whom; they were looked at before.
        ///   - other: by which app of theirs.
        /// - Returns: the request's id.
        /// - Throws: `PaykitNetworkError`.
        public func ask(
            _ satoshis: UInt64, for reference: String, of payer: PubkyKey, _ other: PaykitReceiverPath
        ) async throws -> String {
            let invoice = await sandbox.createInvoice(satoshis, for: user.key)
            let amount = try Money(minorUnits: UInt128(satoshis), currency: .satoshi)
            let terms = PaymentTerms(
                try PrivateLinkAmount(amount.decimalText, "btc"), reference: reference,
                identifiers: [Self.bolt11].compactMap { PaykitIdentifier($0) })
            return try await flow.ask(
                for: terms, at: [PaykitEndpoint(methodID: Self.bolt11, endpoint: invoice)], flow.party(payer, other))
        }

        /// Looks once at what somebody has said, and does what an app does: gives receipts for what has arrived,
        /// accepts what it is asked for, and pays.
        ///
        /// - Parameters:
        ///   - key: who.
        ///   - other: by which app of theirs.
        /// - Throws: `PaykitNetworkError`; what was not done is done at the next look.
        public func look(at key: PubkyKey, _ other: PaykitReceiverPath) async throws {
            let party = try flow.party(key, other)
            try await flow.poll(key, other, session)
            for request in try await flow.requests(with: key, other) {
                if request.isOwn {
                    try await confirm(request, party)
                } else {
                    if request.state.phase == .proposed { try await flow.accept(request.id, party) }
                    do throws(PaykitNetworkError) { _ = try await flow.pay(request.id, party, with: wallet) } catch {
                        // Where to pay may come later.
                        guard [.methodNotSupported, .paymentRejected].contains(error.code) else { throw error }
                    }
                }
            }
            try await flow.poll(key, other, session)
        }

        private func confirm(_ request: PrivateLinkRequest, _ party: PrivateLinkParty) async throws {
            guard let proof = request.state.proofs.first.flatMap({ PaykitProof($0) }),
                case .preimage(_, let hash) = proof, await sandbox.proof(ofPaying: hash) != nil
            else { return }
            try await flow.issueReceipt(for: request.id, party, session)
        }

        private var wallet: SandboxLinkWallet { SandboxLinkWallet(sandbox: sandbox) }
        private static let bolt11 = "btc-lightning-bolt11"
    }

    /// Creates a user with an app of today. Others find it once it is published.
    ///
    /// - Parameters:
    ///   - app: its receiver path.
    ///   - scenario: what else the user publishes.
    ///   - name: for the profile; nil for one of the sandbox's own.
    /// - Throws: `PaykitNetworkError` when the homeserver does not let them in.
    public func createLinkPeer(
        _ app: PaykitReceiverPath, _ scenario: Scenario = .thirdGeneration, name: String? = nil
    ) async throws -> LinkPeer {
        let user = createUser(scenario, name: name)
        let network = try PubkyNetwork.sandbox(HTTPURL("http://localhost:6286"))
        let transport = SandboxTransport(self)
        let pkarr = PkarrClient(relays: network.relays, http: transport, clock: clock)
        let reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport)
        let session = try await PubkyAccount(user.keyPair, reader, pkarr, clock: clock)
            .open(at: homeserver, app.capabilities)
        let keys = try PrivateLinkKeys(secret: Redacted(self.keys.bytes("links of \(user.key) as \(app)")))
        let flow = PrivateLinkFlow(
            user.key, as: app, keys, reader, store: InMemorySealedStates(), clock: clock, random: random)
        return LinkPeer(user, app, in: self, flow: flow, session: session)
    }
}

/// The wallet of a user: it keeps what it paid under which name.
private struct SandboxLinkWallet: PrivateLinkWallet {
    let sandbox: PubkySandbox

    func outcome(of order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement? {
        await sandbox.linkPayments[order.key].map { .paid($0) }
    }

    func settle(_ order: PrivateLinkOrder) async throws -> ChannelCheckout.Settlement { await sandbox.settle(order) }
}

extension PubkySandbox {
    fileprivate func settle(_ order: PrivateLinkOrder) -> ChannelCheckout.Settlement {
        if let known = linkPayments[order.key] { return .paid(known) }
        do throws(SettlementError) {
            let amount = order.amount.bitcoin.flatMap { UInt64(exactly: $0.minorUnits) }
            let proof: PaykitProof
            switch try pay(order.endpoint.endpoint, amount: amount) {
            case .preimage(let preimage):
                proof = .preimage(preimage, paymentHash: Hex.encode(Digest.sha256.hash(Hex.decode(preimage) ?? [])))
            case .transaction(let id): proof = .transaction(id)
            }
            linkPayments[order.key] = proof
            return .paid(proof)
        } catch { return .notPaid(error.rawValue) }
    }
}
