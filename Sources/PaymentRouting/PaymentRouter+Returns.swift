public import PaymentCore

/// Returns of payers from outside the application.
extension PaymentRouter {
    /// Completes the payment that a return URL belongs to. A return URL that names no payment, such as a wallet's bare
    /// answer, concerns every open payment of its provider, or of all providers that share it, latest first; a payment
    /// whose query fails does not keep the others from it.
    ///
    /// Only URLs that a provider recognises as its callback, and only payments that this journal began, are taken;
    /// a stray deep link is `nil` and changes nothing.
    ///
    /// - Returns: the outcome of the payment; of several, the first that ended, otherwise the latest known one.
    /// - Throws: ``PaymentError`` when nothing is known of any: of several, the failure that leaves most open.
    ///   ``PaymentError/Code/foreignReturn`` when the URL names a payment that is none of them, which changes nothing.
    public func handle(_ url: String, as payer: Payer = Payer()) async throws(PaymentError) -> PaymentOutcome? {
        var latest: PaymentOutcome?
        var failure: PaymentError?
        for route in callbacks(url) {
            let serviceClient = try serviceClient(for: route.provider, payer: payer)
            for reference in try await openPayments(at: route.provider, called: route.match.reference) {
                do {
                    _ = try serviceClient.completer
                    // Beside this router's own payment in progress, which may be waiting for just this.
                    let outcome = try await leases.with(reference, as: .visitor) {
                        try await visitor($0, serviceClient).complete(route.link, of: reference)
                    } orElse: {
                        $0
                    }
                    guard let outcome else { continue }
                    if outcome.isFinal { return outcome }
                    latest = latest ?? outcome
                } catch {
                    let next = PaymentError(thrown: error, at: route.provider)
                    if next.code != .foreignReturn {
                        let message = "a return could not be brought to one of the open payments: \(next.message)"
                        effects.emit(.note(message), at: route.provider, reference)
                    }
                    if failure.map({ Self.weight(of: next) > Self.weight(of: $0) }) ?? true { failure = next }
                }
            }
        }
        if latest == nil, let failure { throw failure }
        return latest
    }

    /// The callbacks that match `url`. Several accounts of one vendor return to one application by the same URLs.
    private func callbacks(_ url: String) -> [Route] {
        switch route(url) {
        case .matched(let route): [route].filter { $0.match.role == .callback }
        case .ambiguous(let routes): routes.filter { $0.match.role == .callback }
        default: []
        }
    }

    /// The weight of a failure for the caller that handles a return: a return of another payment than this one may
    /// belong to the next, and money that may have moved comes before all else.
    private static func weight(of failure: PaymentError) -> Int {
        if failure.code == .foreignReturn { return 0 }
        return failure.phase == .maybeSent ? 2 : 1
    }

    /// The payments at `provider` with an attempt that has not ended, latest first; only the one with this `id` if
    /// given.
    private func openPayments(
        at provider: ProviderID, called id: String?
    ) async throws(PaymentError) -> [PaymentReference] {
        guard let id else {
            let open = try await journaled { try await $0.unfinished() }.map(\.attempt.reference)
            return open.reversed().filter { $0.provider == provider && $0.isPayment }
        }
        let reference = PaymentReference(provider: provider, id: id)
        let isOpen = try await journaled { try await $0.histories(of: reference) }.contains { !$0.isFinished }
        return isOpen ? [reference] : []
    }
}
