/// The calls that an application needs of Paykit, so that tests can substitute them (guide, "Mock Transport for
/// Testing"). Users are named by `pubkey`, in any form that a key has, methods as `lightning` is.
public protocol PaykitService: Sendable {
    /// Publishes the user's own endpoint for a method.
    ///
    /// - Throws: ``PaykitError``.
    func setEndpoint(methodId: String, endpoint: String) async throws

    /// Removes the user's own endpoint for a method.
    ///
    /// - Throws: ``PaykitError``.
    func removeEndpoint(methodId: String) async throws

    /// Returns a user's endpoint for a method; nil when they publish none.
    ///
    /// - Throws: ``PaykitError``.
    func getEndpoint(pubkey: String, methodId: String) async throws -> String?

    /// Returns the endpoints of a user.
    ///
    /// - Throws: ``PaykitError``.
    func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods

    /// Returns the best way to pay a user. `preferredMethod` is the method to use if it is offered.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all.
    func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult
}

extension PaykitService {
    /// Returns those of the usual methods, `lightning` and `onchain`, for which there is an endpoint.
    ///
    /// - Throws: errors of ``getEndpoint(pubkey:methodId:)``.
    public func getSupportedMethods(pubkey: String) async throws -> PaykitSupportedMethods {
        var methods: [PaykitSupportedMethod] = []
        for method in SmartCheckout.usualOrder {
            guard let endpoint = try await getEndpoint(pubkey: pubkey, methodId: method) else { continue }
            methods.append(PaykitSupportedMethod(methodId: method, endpoint: endpoint))
        }
        return PaykitSupportedMethods(methods: methods)
    }

    /// Returns the best of the supported methods, none of which is offered to this device alone. `preferredMethod` is
    /// the method to use if it is offered.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when there is none.
    public func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
        let published = try await getSupportedMethods(pubkey: pubkey).methods as [PaykitSupportedMethod]
        guard let endpoint = SmartCheckout.choice(among: published.map(\.published), preferring: preferredMethod) else {
            throw PaykitError(
                .methodNotSupported, "No payment methods available for this peer", methodID: preferredMethod)
        }
        return PaykitCheckoutResult(published: endpoint)
    }
}

extension PaykitCheckoutResult {
    init(published endpoint: PaykitEndpoint) {
        self.init(
            methodId: endpoint.methodID, endpoint: endpoint.endpoint, isPrivate: false, requiresInteractive: false)
    }
}
