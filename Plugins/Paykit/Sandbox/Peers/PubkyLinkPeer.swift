public import PaykitProvider
public import PaykitPubky
import PaymentCore
import PaymentCrypto
import PaymentTesting

extension PubkySandbox {
    /// A user with a generation 3 app, to whom private links lead. At each look it issues receipts, accepts requests
    /// and pays them; it can also ask for payments. The money is simulated.
    public struct LinkPeer: Sendable {
        /// The user.
        public let user: User
        /// The user's app.
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

        /// Publishes that the app accepts private links, as after its installation.
        ///
        /// - Throws: `PaykitNetworkError`.
        public func publish() async throws { try await flow.publishMarker(session) }

        /// Asks a user for a payment, at an invoice made for it. The request is sent when this peer looks.
        ///
        /// - Parameters:
        ///   - satoshis: the amount.
        ///   - reference: the purpose.
        ///   - payer: the user, at whom this peer has looked before.
        ///   - other: the user's app.
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

        /// Looks once at a user's messages, and reacts as an app does: issues receipts for payments that have arrived,
        /// accepts requests, and pays.
        ///
        /// - Parameters:
        ///   - key: the user.
        ///   - other: the user's app.
        /// - Throws: `PaykitNetworkError`; failures are retried at the next look.
        public func look(at key: PubkyKey, _ other: PaykitReceiverPath) async throws {
            let party = try flow.party(key, other)
            try await flow.poll(key, other, session)
            for request in try await flow.requests(with: key, other) {
                if request.isOwn {
                    try await confirm(request, party)
                } else {
                    if request.state.phase == .proposed { try await flow.accept(request.id, party) }
                    do throws(PaykitNetworkError) { _ = try await flow.pay(request.id, party, with: wallet) } catch {
                        // The endpoint may arrive later.
                        guard [.methodNotSupported, .paymentRejected].contains(error.code) else { throw error }
                    }
                }
            }
            try await flow.poll(key, other, session)
        }

        private func confirm(_ request: PrivateLinkRequest, _ party: PrivateLinkParty) async throws {
            for message in request.state.proofs {
                guard case .preimage(_, let hash)? = PaykitProof(message), await sandbox.proof(ofPaying: hash) != nil
                else { continue }
                try await flow.issueReceipt(for: request.id, period: message.period, party, session)
            }
        }

        private var wallet: SandboxLinkWallet { SandboxLinkWallet(sandbox: sandbox) }
        private static let bolt11 = "btc-lightning-bolt11"
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
        let network = try PubkyNetwork.sandbox(HTTPURL("http://localhost:6286"))
        let transport = SandboxTransport(self)
        let pkarr = PkarrClient(relays: network.relays, http: transport, clock: clock)
        let reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport)
        let session = try await PubkyAccount(user.keyPair, at: homeserver, reader, pkarr, clock: clock)
            .open(app.capabilities)
        let keys = try PrivateLinkKeys(secret: Redacted(self.keys.bytes("links of \(user.key) as \(app)")))
        let flow = PrivateLinkFlow(
            user.key, as: app, keys, reader, store: InMemorySealedStates(), clock: clock, random: random)
        return LinkPeer(user, app, in: self, flow: flow, session: session)
    }
}

/// The wallet of a user: it stores its payments by the keys of their orders.
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
