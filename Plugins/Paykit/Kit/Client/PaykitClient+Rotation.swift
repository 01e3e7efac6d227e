public import PaykitProvider
import PaymentCore

/// When endpoints of one's own are replaced.
extension PaykitClient {
    /// Returns which published methods of `pubkey` need a new endpoint, by name. Of others than this device's user
    /// nothing is known, so nothing is due.
    ///
    /// - Throws: ``PaykitError``.
    public func checkRotationNeeded(pubkey: String) async throws -> [String] {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            let user = try Self.key(pubkey)
            guard let own = session, user == own.user else { return [] }
            let published = try await publishedNames(own)
            return uses.filter { method, use in
                published.contains(method) && (configuration.rotation[method] ?? .onUse).isDue(use, at: clock.now)
            }.keys.sorted()
        }
    }

    /// Notes that somebody paid to one's own endpoint: the wallet knows. A method may be called by its name of today
    /// where it was published by the older one.
    public func noteUse(methodId: String) {
        let former = PaykitIdentifier(methodId)?.formerName ?? methodId
        uses[uses[methodId] == nil ? former : methodId]?.note(at: clock.now)
    }

    /// How one's own endpoints were used, to be stored by the application; put back by ``restore(uses:)``.
    public var endpointUses: [String: PaykitEndpointUse] { uses }

    /// Puts back what ``endpointUses`` gave, as after a restart.
    public func restore(uses: [String: PaykitEndpointUse]) { self.uses = uses }

    /// Replaces every endpoint of one's own that needs it.
    ///
    /// - Parameter generate: makes a new endpoint for a method, as by asking the wallet for an invoice.
    /// - Returns: the methods whose endpoint was replaced.
    /// - Throws: ``PaykitError``, and what `generate` throws; what was replaced before stays so.
    @discardableResult
    public func rotateEndpoints(_ generate: @Sendable (String) async throws -> String) async throws -> [String] {
        guard let user else { throw PaykitError.notAuthenticated }
        var replaced: [String] = []
        for method in try await checkRotationNeeded(pubkey: user.text) {
            try await putEndpoint(method, try await generate(method))
            replaced.append(method)
        }
        return replaced
    }

    /// Replaces endpoints that need it, again and again, until the task is cancelled. What fails is tried the next
    /// time.
    ///
    /// - Parameters:
    ///   - pause: how long to wait between two looks.
    ///   - report: hears what was replaced, or why nothing was.
    ///   - generate: makes a new endpoint for a method.
    public nonisolated func keepRotating(
        every pause: Duration = .seconds(3600),
        report: @Sendable (Result<[String], any Error>) -> Void = { _ in },
        _ generate: @Sendable (String) async throws -> String
    ) async {
        while !Task.isCancelled {
            do { report(.success(try await rotateEndpoints(generate))) } catch { report(.failure(error)) }
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }
}
