import PaymentCore

/// How somebody can be paid, in whichever of Paykit's forms they publish it (Protocol 11.4): the newest counts, and
/// endpoints of two are never mixed.
package struct PublishedEndpoints: Sendable {
    package let directory: PaykitDirectory
    package let receivers: ReceiverDirectory
    private let generations: PaykitGenerations

    package init(_ reader: PubkyReader, _ generations: PaykitGenerations = .both) {
        directory = PaykitDirectory(reader)
        receivers = ReceiverDirectory(reader)
        self.generations = generations
    }

    /// All endpoints of `user`, by method.
    ///
    /// - Throws: ``PaykitNetworkError``; `methodNotSupported` when they publish in a form only that is newer than those
    ///   known here.
    package func endpoints(of user: PubkyKey) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        if generations.readsThirdGeneration {
            do throws(PaykitNetworkError) {
                if let offer = try await receivers.offer(of: user) { return offer.endpoints }
            } catch {
                // Who publishes in a later form may have kept what can be read here.
                guard error.code == .methodNotSupported, generations.readsSecond else { throw error }
                let older = try await directory.endpoints(of: user)
                guard !older.isEmpty else { throw error }
                return older
            }
        }
        return generations.readsSecond ? try await directory.endpoints(of: user) : []
    }

    /// The endpoint of `user` for a method, by its name in either form; nil when they publish none.
    package func endpoint(of user: PubkyKey, _ method: String) async throws(PaykitNetworkError) -> String? {
        if generations.readsSecond { _ = try PaykitDirectory.address(of: user, method: method) }
        if generations.readsThirdGeneration, let offer = try await newest(of: user) {
            let found = SmartCheckout.choice(among: offer.endpoints.filter { $0.isCalled(method) }, preferring: method)
            // What has a name in the newer form, and is not there, is offered no longer.
            if found != nil || Self.isKnown(method) { return found?.endpoint }
        }
        guard generations.readsSecond else { return nil }
        return try await directory.endpoint(of: user, method: method)
    }

    /// What is published in the third generation; nil also where its form is too new, but an older one is there to be
    /// read.
    private func newest(of user: PubkyKey) async throws(PaykitNetworkError) -> ReceiverDirectory.Offer? {
        do throws(PaykitNetworkError) { return try await receivers.offer(of: user) } catch {
            guard error.code == .methodNotSupported, generations.readsSecond,
                try await !directory.endpoints(of: user).isEmpty
            else { throw error }
            return nil
        }
    }

    /// Whether a method has a name in today's form.
    private static func isKnown(_ method: String) -> Bool {
        ["lightning", "onchain"].contains(method) || PaykitIdentifier(method)?.parts != nil
    }
}
