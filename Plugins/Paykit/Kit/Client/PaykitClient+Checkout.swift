/// Checkout, offers of peers, and requests for many users at once.
extension PaykitClient {
    /// Returns the best way to pay a user: of the endpoints offered to this device alone, then of the published ones.
    /// The preferred method counts in both; without it `lightning`, then `onchain`, then the first by name. Endpoints
    /// that the configuration's ``PaykitClientConfiguration/endpointCheck`` refuses are skipped. `preferredMethod` is
    /// used if it is offered. `amount` is the amount to pay, in bitcoin; nil if it is open. Only the check uses it.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all; the reason of the
    ///   check when it refuses all endpoints.
    public func smartCheckout(
        pubkey: String, preferredMethod: String? = nil, amount: Money? = nil
    ) async throws -> PaykitCheckoutResult {
        try await mappingErrors {
            let user = try Self.key(pubkey)
            var refusal: PaykitNetworkError?
            func usable(_ endpoints: [PaykitEndpoint]) -> [PaykitEndpoint] {
                endpoints.filter { endpoint in
                    do throws(PaykitNetworkError) {
                        try endpoint.take(amount)
                        try configuration.endpointCheck?.check(endpoint, amount: amount, at: clock.now)
                        return true
                    } catch {
                        refusal = refusal ?? error
                        return false
                    }
                }
            }
            let offered = usable(offers.current(of: user, at: clock.now).map(\.endpoint))
            if let endpoint = SmartCheckout.choice(among: offered, preferring: preferredMethod) {
                return PaykitCheckoutResult(
                    methodId: endpoint.methodID, endpoint: endpoint.endpoint, isPrivate: true, requiresInteractive: true
                )
            }
            let published = try await methods(of: user).methods as [PaykitSupportedMethod]
            let sound = usable(published.map(\.published))
            guard let endpoint = SmartCheckout.choice(among: sound, preferring: preferredMethod) else {
                throw refusal
                    ?? PaykitNetworkError(
                        .methodNotSupported, "No payment methods available for this peer", methodID: preferredMethod)
            }
            return PaykitCheckoutResult(published: endpoint)
        }
    }

    /// Returns the best way to pay a user, whatever the amount. `preferredMethod` is used if it is offered.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all.
    public func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
        try await smartCheckout(pubkey: pubkey, preferredMethod: preferredMethod, amount: nil)
    }

    /// Keeps an endpoint that a user offered to this device alone.
    ///
    /// - Returns: true if it is kept: not if it has expired, nor if a thousand other users have made offers.
    @discardableResult
    public func keep(_ offer: PaykitChannelOffer, of user: PubkyKey) -> Bool {
        offers.add(offer, of: user, at: clock.now)
    }

    /// Forgets a user's offer for a method, as after its use.
    public func forgetOffer(methodId: String, of user: PubkyKey) { offers.remove(methodId, of: user) }

    /// Returns the methods of many users, requested a few at a time. A user who cannot be asked is among the errors,
    /// and does not prevent the requests for the others.
    ///
    /// - Parameters:
    ///   - pubkeys: the users, in any form that a key has.
    ///   - width: the number of concurrent requests.
    ///   - progress: receives the number of completed requests.
    public nonisolated func discoverBatch(
        pubkeys: [String], width: Int = 8, progress: @Sendable (Int) -> Void = { _ in }
    ) async -> (methods: [String: PaykitSupportedMethods], errors: [String: PaykitError]) {
        typealias Found = (String, Result<PaykitSupportedMethods, PaykitError>)
        var methods: [String: PaykitSupportedMethods] = [:]
        var errors: [String: PaykitError] = [:]
        var waiting = Set(pubkeys).sorted().makeIterator()
        await withTaskGroup(of: Found.self) { group in
            func next() {
                guard !Task.isCancelled, let pubkey = waiting.next() else { return }
                group.addTask { (pubkey, await self.found(pubkey)) }
            }
            for _ in 0..<max(1, width) { next() }
            for await (pubkey, result) in group {
                switch result {
                case .success(let found): methods[pubkey] = found
                case .failure(let error): errors[pubkey] = error
                }
                progress(methods.count + errors.count)
                next()
            }
        }
        return (methods, errors)
    }

    private func found(_ pubkey: String) async -> Result<PaykitSupportedMethods, PaykitError> {
        do { return .success(try await methods(of: Self.key(pubkey))) } catch { return .failure(PaykitError(error)) }
    }
}
