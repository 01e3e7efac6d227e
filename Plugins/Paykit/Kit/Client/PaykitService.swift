import PaykitProvider

/// What an application needs of Paykit, so that tests can give it something else (guide, "Mock Transport for Testing").
public protocol PaykitService: Sendable {
    /// Publishes one's own endpoint for a method.
    ///
    /// - Parameters:
    ///   - methodId: the method, such as `lightning`.
    ///   - endpoint: where to pay.
    /// - Throws: ``PaykitError``.
    func setEndpoint(methodId: String, endpoint: String) async throws

    /// Takes one's own endpoint for a method back.
    ///
    /// - Parameter methodId: the method.
    /// - Throws: ``PaykitError``.
    func removeEndpoint(methodId: String) async throws

    /// Returns somebody's endpoint for a method; nil when they publish none.
    ///
    /// - Parameters:
    ///   - pubkey: whose, in any form that a key has.
    ///   - methodId: the method.
    /// - Throws: ``PaykitError``.
    func getEndpoint(pubkey: String, methodId: String) async throws -> String?

    /// Returns how somebody can be paid.
    ///
    /// - Parameter pubkey: who, in any form that a key has.
    /// - Throws: ``PaykitError``.
    func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods

    /// Returns the best way to pay somebody.
    ///
    /// - Parameters:
    ///   - pubkey: who is paid, in any form that a key has.
    ///   - preferredMethod: the method to take where it is offered.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all.
    func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult
}

extension PaykitService {
    /// Returns those of the usual methods, `lightning` and `onchain`, for which there is an endpoint.
    ///
    /// - Parameter pubkey: who, in any form that a key has.
    /// - Throws: what ``getEndpoint(pubkey:methodId:)`` throws.
    public func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods {
        var methods: [PaykitSupportedMethod] = []
        for method in SmartCheckout.usualOrder {
            guard let endpoint = try await getEndpoint(pubkey: pubkey, methodId: method) else { continue }
            methods.append(PaykitSupportedMethod(methodId: method, endpoint: endpoint))
        }
        return PaykitSupportedMethods(methods: methods)
    }

    /// Returns the best of the supported methods, none of which is private.
    ///
    /// - Parameters:
    ///   - pubkey: who is paid, in any form that a key has.
    ///   - preferredMethod: the method to take where it is offered.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when there is none.
    public func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
        let published = try await getSupportedMethods(pubkey: pubkey).methods as [PaykitSupportedMethod]
        return PaykitCheckoutResult(published: try SmartCheckout.best(published, preferredMethod))
    }
}

extension SmartCheckout {
    /// The best of what somebody publishes.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they publish nothing.
    static func best(
        _ published: [PaykitSupportedMethod], _ preferredMethod: String?
    ) throws(PaykitError) -> PaykitEndpoint {
        let endpoints = published.map { PaykitEndpoint(methodID: $0.methodId, endpoint: $0.endpoint) }
        guard let endpoint = choice(among: endpoints, preferring: preferredMethod) else {
            throw PaykitError(
                PaykitNetworkError(
                    .methodNotSupported, "No payment methods available for this peer", methodID: preferredMethod))
        }
        return endpoint
    }
}

extension PaykitCheckoutResult {
    init(published endpoint: PaykitEndpoint) {
        self.init(
            methodId: endpoint.methodID, endpoint: endpoint.endpoint, isPrivate: false, requiresInteractive: false)
    }
}
