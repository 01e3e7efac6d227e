/// The endpoints that a user publishes, in any generation of Paykit (Protocol 11.4): the newest counts, and endpoints
/// of two generations are never mixed.
package struct PublishedEndpoints: Sendable {
    package let directory: PaykitDirectory
    package let receivers: ReceiverDirectory
    private let generations: PaykitGenerations

    package init(_ reader: PubkyReader, _ generations: PaykitGenerations = .both) {
        directory = PaykitDirectory(reader)
        receivers = ReceiverDirectory(reader)
        self.generations = generations
    }

    /// Returns all endpoints of `user`, by method. Throws ``PaykitNetworkError``; `methodNotSupported` when they are
    /// published only in a newer, unknown form; `validationFailed` when several apps publish some.
    package func endpoints(of user: PubkyKey) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        let offers = try await offers(of: user)
        try ReceiverDirectory.requireOne(offers, of: user)
        return offers.first?.endpoints ?? []
    }

    /// Returns the endpoints of `user`, by the apps that publish them; no app is named where the form has none. Throws
    /// ``PaykitNetworkError``; `methodNotSupported` when they are published only in a newer, unknown form.
    package func offers(of user: PubkyKey) async throws(PaykitNetworkError) -> [ReceiverDirectory.Offer] {
        if generations.readsThirdGeneration {
            do throws(PaykitNetworkError) {
                let offers = try await receivers.offers(of: user)
                if !offers.isEmpty { return offers }
            } catch {
                // A user with a later form may have kept an older one.
                guard error.code == .methodNotSupported, generations.readsSecond else { throw error }
                let older = try await directory.endpoints(of: user)
                guard !older.isEmpty else { throw error }
                return [ReceiverDirectory.Offer(receiver: nil, endpoints: older)]
            }
        }
        let older = generations.readsSecond ? try await directory.endpoints(of: user) : []
        return older.isEmpty ? [] : [ReceiverDirectory.Offer(receiver: nil, endpoints: older)]
    }

    /// Returns the endpoint of `user` for a method, by its name in either generation; nil when none is published.
    package func endpoint(of user: PubkyKey, _ method: String) async throws(PaykitNetworkError) -> String? {
        if generations.readsSecond { _ = try PaykitDirectory.address(of: user, method: method) }
        if generations.readsThirdGeneration, let offer = try await newest(of: user) {
            let found = SmartCheckout.choice(among: offer.endpoints.filter { $0.isCalled(method) }, preferring: method)
            // A method with an identifier in generation 3 that is missing there is no longer offered.
            if found != nil || Self.isKnown(method) { return found?.endpoint }
        }
        guard generations.readsSecond else { return nil }
        return try await directory.endpoint(of: user, method: method)
    }

    /// Returns the endpoints of generation 3; nil also where their form is too new but those of generation 2 exist.
    private func newest(of user: PubkyKey) async throws(PaykitNetworkError) -> ReceiverDirectory.Offer? {
        do throws(PaykitNetworkError) { return try await receivers.offer(of: user) } catch {
            guard error.code == .methodNotSupported, generations.readsSecond,
                try await !directory.endpoints(of: user).isEmpty
            else { throw error }
            return nil
        }
    }

    private static func isKnown(_ method: String) -> Bool {
        ["lightning", "onchain"].contains(method) || PaykitIdentifier(method)?.parts != nil
    }
}
