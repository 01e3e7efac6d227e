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
    /// - Returns: true if it is kept; false if it has expired, or if a thousand other users have made offers.
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

/// Changes since users' methods were cached.
extension PaykitClient {
    /// Forgets the cached methods of users who have changed them, so that they are requested again. One request covers
    /// up to 50 users of a homeserver; methods that cannot be checked stay until they expire.
    ///
    /// - Returns: the forgotten users.
    @discardableResult
    public func forgetChanged() async -> [PubkyKey] {
        var byServer: [String: (server: Homeserver, users: [PubkyKey])] = [:]
        for user in cache.keys {
            guard let server = try? await reader.homeserver(of: user) else { continue }
            byServer[server.url.origin, default: (server, [])].users.append(user)
        }
        var forgotten: Set<PubkyKey> = []
        // Older homeservers report one directory at a time; each has its own cursor.
        for path in changingPaths {
            for (server, users) in byServer.values {
                for start in stride(from: 0, to: users.count, by: Homeserver.mostUsers) {
                    let some = users[start..<min(start + Homeserver.mostUsers, users.count)]
                    let asked = Dictionary(uniqueKeysWithValues: some.map { ($0, cursors[path]?[$0]) })
                    for change in (try? await server.changes(of: asked, below: path)) ?? [] {
                        cursors[path, default: [:]][change.owner] = change.cursor
                        forgotten.insert(change.owner)
                    }
                }
            }
        }
        for user in forgotten { cache.remove(user) }
        // Users that are no longer cached need not be followed permanently.
        let kept = Set(cache.keys)
        for (path, seen) in cursors where seen.count > 4 * configuration.cacheCapacity {
            cursors[path] = seen.filter { kept.contains($0.key) }
        }
        return forgotten.sorted { $0.text < $1.text }
    }

    private var changingPaths: [String] {
        (configuration.generations.readsThirdGeneration ? [ReceiverDirectory.root] : [])
            + (configuration.generations.readsSecond ? [PaykitDirectory.root] : [])
    }
}

/// The user's own endpoints in both of Paykit's forms (Protocol 11.4).
extension PaykitClient {
    /// Publishes an endpoint in each configured form that has a name for it, the newest first: payers prefer it.
    func publish(_ endpoint: PaykitEndpoint, _ session: PubkySession) async throws(PaykitNetworkError) {
        let identifier = Self.identifier(of: endpoint)
        let former = identifier?.text == endpoint.methodID ? identifier?.formerName : endpoint.methodID
        var isPublished = false
        if configuration.generations != .second, let receiver = configuration.receiver, let identifier {
            let isGeneral = identifier.text != endpoint.methodID
            try await receivers.publish(
                identifier, endpoint.endpoint, of: receiver, inPlaceOf: isGeneral ? former : nil, session)
            isPublished = true
        }
        if configuration.generations != .third, let former {
            try await directory.publish(PaykitEndpoint(methodID: former, endpoint: endpoint.endpoint), session)
            isPublished = true
        }
        guard !isPublished else { return }
        throw PaykitNetworkError(
            .validationFailed,
            configuration.receiver == nil
                ? "to publish in generation 3, say as which app: PaykitClientConfiguration.receiver"
                : "generation 3 has no name for this; name it as asset-rail-format, such as btc-lightning-bolt11",
            methodID: endpoint.methodID)
    }

    func remove(_ method: String, _ session: PubkySession) async throws(PaykitNetworkError) {
        if configuration.generations != .second, let receiver = configuration.receiver {
            try await receivers.remove(method, of: receiver, session)
        }
        guard configuration.generations != .third else { return }
        let former = PaykitIdentifier(method).flatMap { $0.parts == nil ? nil : $0.formerName }
        try await directory.remove(former ?? method, session)
    }

    private static func identifier(of endpoint: PaykitEndpoint) -> PaykitIdentifier? {
        if let identifier = PaykitIdentifier(endpoint.methodID), identifier.parts != nil { return identifier }
        return PaykitIdentifier.candidates(for: endpoint.endpoint).lazy.compactMap { PaykitIdentifier($0) }
            .first { $0.formerName == endpoint.methodID }
    }

    func publishedNames(_ session: PubkySession) async throws(PaykitNetworkError) -> Set<String> {
        var names: Set<String> = []
        if configuration.generations != .second, let receiver = configuration.receiver {
            let server = try await reader.homeserver(of: session.user)
            for identifier in try await receivers.identifiers(of: receiver, session.user, at: server) {
                names.insert(identifier.text)
                if let former = identifier.formerName { names.insert(former) }
            }
        }
        if configuration.generations != .third {
            names.formUnion(try await directory.endpoints(of: session.user).map(\.methodID))
        }
        return names
    }
}

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

#if canImport(BackgroundTasks)
    import BackgroundTasks

    /// Rotation by the system's scheduler, as in the guide's "Background Task (iOS)".
    @available(macOS, unavailable)
    extension PaykitClient {
        /// The guide's name of the task.
        public static let rotationTask = "to.bitkit.rotationCheck"

        /// Has the system wake the app to replace endpoints that need it. Call it before the application has finished
        /// launching, and ``scheduleRotation(identifier:after:)`` when it goes to the background. The identifier has to
        /// be in the application's list of permitted identifiers (`BGTaskSchedulerPermittedIdentifiers`).
        ///
        /// Each run first requests the next one. The client needs a session then: see
        /// ``PaykitSessionManager/restore()``.
        ///
        /// - Parameters:
        ///   - identifier: the task's name.
        ///   - pause: the shortest wait between two runs.
        ///   - generate: creates a new endpoint for a method, such as the wallet's invoice.
        /// - Returns: true if the system accepted the registration; it does not if the identifier is not permitted.
        @discardableResult
        public nonisolated func registerRotation(
            identifier: String = rotationTask, every pause: Duration = .seconds(3600),
            _ generate: @escaping @Sendable (String) async throws -> String
        ) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                let run = SystemTask(task)
                // A failure leaves no next run; it is requested again when the app goes to the background.
                try? self.scheduleRotation(identifier: identifier, after: pause)
                let work = Task {
                    let replaced = try? await self.rotateEndpoints(generate)
                    run.task.setTaskCompleted(success: replaced != nil && !Task.isCancelled)
                }
                run.task.expirationHandler = { work.cancel() }
            }
        }

        /// Asks the system for a run. `identifier` is the task's name, as it was registered. `pause` is the shortest
        /// wait; the system decides.
        ///
        /// - Throws: the system's error, as when background work is switched off.
        public nonisolated func scheduleRotation(
            identifier: String = rotationTask, after pause: Duration = .seconds(3600)
        ) throws {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = clock.now.addingTimeInterval(pause / .seconds(1))
            try BGTaskScheduler.shared.submit(request)
        }
    }

    /// The system's task, which is completed once, from any thread.
    private struct SystemTask: @unchecked Sendable {
        let task: BGTask

        init(_ task: BGTask) { self.task = task }
    }
#endif
