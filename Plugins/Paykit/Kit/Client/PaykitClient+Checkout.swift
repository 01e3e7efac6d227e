public import PaykitProvider
public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is paid, and when endpoints of one's own are replaced.
extension PaykitClient {
    /// Returns the best way to pay somebody: what they offered to this device alone, then what they publish. The
    /// preferred method counts in both; without it `lightning`, then `onchain`, then the first by name. What the
    /// configuration's ``PaykitClientConfiguration/endpointCheck`` refuses is passed over.
    ///
    /// - Parameters:
    ///   - pubkey: who is paid, in any form that a key has.
    ///   - preferredMethod: the method to take where it is offered.
    ///   - amount: how much is to be paid, in bitcoin; nil where that is open. Only a check looks at it.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all; when all that they
    ///   offer is refused, why.
    public func smartCheckout(
        pubkey: String, preferredMethod: String? = nil, amount: Money? = nil
    ) async throws -> PaykitCheckoutResult {
        try await mappingErrors { () async throws(PaykitNetworkError) in
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

    /// Returns the best way to pay somebody, whatever the amount.
    ///
    /// - Parameters:
    ///   - pubkey: who is paid, in any form that a key has.
    ///   - preferredMethod: the method to take where it is offered.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they cannot be paid at all.
    public func smartCheckout(pubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
        try await smartCheckout(pubkey: pubkey, preferredMethod: preferredMethod, amount: nil)
    }

    /// Keeps an endpoint that somebody offered to this device alone.
    ///
    /// - Returns: whether it is kept: not when its time is over, nor when a thousand others have made offers.
    @discardableResult
    public func keep(_ offer: PaykitChannelOffer, of user: PubkyKey) -> Bool {
        offers.add(offer, of: user, at: clock.now)
    }

    /// Forgets what somebody offered for a method, as when it was used.
    public func forgetOffer(methodId: String, of user: PubkyKey) { offers.remove(methodId, of: user) }

    /// Returns how many can be paid, some at a time. Somebody who cannot be asked is among the errors, and keeps nobody
    /// else from being asked.
    ///
    /// - Parameters:
    ///   - pubkeys: who, in any form that a key has.
    ///   - width: how many are asked at the same time.
    ///   - progress: hears how many are done.
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
        do {
            return .success(
                try await mappingErrors { () async throws(PaykitNetworkError) in try await methods(of: Self.key(pubkey))
                })
        } catch { return .failure(error) }
    }
}
