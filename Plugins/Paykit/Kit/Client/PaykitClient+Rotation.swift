/// The replacement of the user's own endpoints.
extension PaykitClient {
    /// Returns the published methods of `pubkey` that need a new endpoint, by name. For users other than this device's
    /// no use is known, so nothing is due.
    ///
    /// - Throws: ``PaykitError``.
    public func checkRotationNeeded(pubkey: String) async throws -> [String] {
        try await mappingErrors {
            let user = try Self.key(pubkey)
            guard let own = session, user == own.user else { return [] }
            let published = try await publishedNames(own)
            return uses.filter { method, use in
                published.contains(method) && (configuration.rotation[method] ?? .onUse).isDue(use, at: clock.now)
            }.keys.sorted()
        }
    }

    /// Records a payment to one of the user's own endpoints, as the wallet observed it. A method may be given by its
    /// generation 3 name if it was published by the older one.
    public func noteUse(methodId: String) {
        let former = PaykitIdentifier(methodId)?.formerName ?? methodId
        uses[uses[methodId] == nil ? former : methodId]?.note(at: clock.now)
    }

    /// The use of the user's own endpoints, to be stored by the application; restored by ``restore(uses:)``.
    public var endpointUses: [String: PaykitEndpointUse] { uses }

    /// Restores a value of ``endpointUses``, as after a restart.
    public func restore(uses: [String: PaykitEndpointUse]) { self.uses = uses }

    /// Replaces each of the user's own endpoints that needs it.
    ///
    /// - Parameter generate: creates a new endpoint for a method, such as the wallet's invoice.
    /// - Returns: the methods whose endpoint was replaced.
    /// - Throws: ``PaykitError``, and errors of `generate`; earlier replacements remain.
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

    /// Replaces endpoints that need it, repeatedly, until the task is cancelled. Failures are retried the next time.
    ///
    /// - Parameters:
    ///   - pause: the wait between two checks.
    ///   - report: receives the replaced methods, or the failure.
    ///   - generate: creates a new endpoint for a method.
    public nonisolated func keepRotating(
        every pause: Duration = .seconds(3600), report: @Sendable (Result<[String], any Error>) -> Void = { _ in },
        _ generate: @Sendable (String) async throws -> String
    ) async {
        while !Task.isCancelled {
            do { report(.success(try await rotateEndpoints(generate))) } catch { report(.failure(error)) }
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }
}
