public import PaykitProvider
import PaymentCore

extension PubkySandbox {
    /// A user with a generation 3 app, to whom private links lead. At each look it issues receipts, accepts requests
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
        ///   - payer: the user, at whom this peer has looked before.
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
