public import PaykitProvider
public import PaykitPubky
import PaymentCore
import PaymentStandards
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
        private let settler: SandboxSettler

        init(
            _ user: User, _ app: PaykitReceiverPath, in sandbox: PubkySandbox, flow: PrivateLinkFlow,
            session: PubkySession, settler: SandboxSettler
        ) {
            self.settler = settler
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
                    do throws(PaykitNetworkError) {
                        _ = try await flow.pay(request.id, party, with: settler, check: Self.check)
                    } catch {
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

        private static let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)
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
        let url = try HTTPURL("http://localhost:6286")
        let network = try PubkyNetwork.sandbox(url)
        let transport = SandboxTransport(self)
        let pkarr = PkarrClient(relays: network.relays, http: transport, clock: clock)
        let reader = PubkyReader(HomeserverLocator(pkarr, allowsLocal: true), over: transport)
        let session = try await PubkyAccount(user.keyPair, at: homeserver, reader, pkarr, clock: clock)
            .open(app.capabilities)
        let keys = try PrivateLinkKeys(secret: Redacted(self.keys.bytes("links of \(user.key) as \(app)")))
        let flow = PrivateLinkFlow(
            user.key, as: app, keys, reader, store: InMemorySealedStates(), clock: clock, random: random)
        return LinkPeer(
            user, app, in: self, flow: flow, session: session,
            settler: SandboxSettler(at: url, over: transport))
    }
}
