/// The endpoints that a user publishes, in any generation of Paykit (Protocol 11.4). The newest generation counts, and
/// endpoints of two generations are never mixed.
package struct PublishedEndpoints: Sendable {
    package let directory: PaykitDirectory
    package let receivers: ReceiverDirectory
    private let generations: PaykitGenerations

    package init(_ reader: PubkyReader, _ generations: PaykitGenerations = .both) {
        directory = PaykitDirectory(reader)
        receivers = ReceiverDirectory(reader)
        self.generations = generations
    }

    /// Returns all endpoints of `user`, by method. Throws ``PaykitNetworkError``: `methodNotSupported` if they are
    /// published only in a newer, unknown form, `validationFailed` if several apps publish some.
    package func endpoints(of user: PubkyKey) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        let offers = try await offers(of: user)
        try ReceiverDirectory.requireOne(offers, of: user)
        return offers.first?.endpoints ?? []
    }

    /// Returns the endpoints of `user`, by the apps that publish them. No app is named if the form has none. Throws
    /// ``PaykitNetworkError``: `methodNotSupported` if they are published only in a newer, unknown form.
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

    /// Returns the endpoints of generation 3; nil also if their form is too new but those of generation 2 exist.
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

/// The generations of Paykit that are read and published (Protocol 11.4).
@nonexhaustive
public enum PaykitGenerations: Sendable, Hashable, CaseIterable {
    /// Both: the newest that a payee uses is read, and the user's own endpoints are published in each.
    case both
    /// Generation 2, which the guide documents.
    case second
    /// Generation 3, which current wallets use.
    case third

    package var readsThirdGeneration: Bool { self != .second }
    package var readsSecond: Bool { self != .third }
}

// MARK: - Generation 3

/// The endpoints that users publish in generation 3 (Protocol 11), in one directory for each app.
package struct ReceiverDirectory: Sendable {
    package let reader: PubkyReader

    package init(_ reader: PubkyReader) { self.reader = reader }

    package static let root = "/pub/paykit/v0/"
    package static let mostApps = 16
    package static let mostEndpoints = 32

    /// The content of the root: the forms of this generation that a user publishes.
    package struct Survey: Sendable, Hashable {
        package let apps: [String]
        /// Endpoints directly in the root: the oldest form.
        package let flat: [PaykitIdentifier]
        /// True if there are files of a later form, which is not supported.
        package let isLater: Bool

        private static let reserved: Set = ["private", "apps", "encrypted-link-recovery", "shared-state-writes"]

        package init(_ names: [String]) {
            let directories = names.filter { $0.hasSuffix("/") }.map { String($0.dropLast()) }
            apps = directories.filter { PaykitReceiverPath.isSegment($0) && !Self.reserved.contains($0) }.sorted()
            let files = names.filter { !$0.hasSuffix("/") }
            isLater = directories.contains("apps") || files.contains("app-registry.json")
            flat = files.compactMap { PaykitIdentifier($0) }.filter { $0.parts != nil }.sorted { $0.text < $1.text }
        }
    }

    // MARK: Reading

    /// Returns the forms that `owner` publishes of this generation, in one request; nil when there are none.
    package func survey(_ owner: PubkyKey, at server: Homeserver) async throws(PaykitNetworkError) -> Survey? {
        guard let names = try await names(in: Self.root, of: owner, at: server) else { return nil }
        return Survey(names)
    }

    /// Returns the receivers that have directories of `owner`: wallets before servers, then by name.
    package func receivers(
        of owner: PubkyKey, _ survey: Survey, at server: Homeserver
    ) async throws(PaykitNetworkError) -> [PaykitReceiverPath] {
        var receivers: [PaykitReceiverPath] = []
        for app in survey.apps.prefix(Self.mostApps) {
            for name in try await names(in: Self.root + app + "/", of: owner, at: server) ?? []
            where name.hasSuffix("/") {
                if let receiver = PaykitReceiverPath("\(app)/\(name.dropLast())") { receivers.append(receiver) }
            }
        }
        return receivers.sorted { ($0.runtime == .server ? 1 : 0, $0.text) < ($1.runtime == .server ? 1 : 0, $1.text) }
    }

    package struct Offer: Sendable, Hashable {
        /// The app of the endpoints; nil for the oldest form, which names none.
        package let receiver: PaykitReceiverPath?
        package let endpoints: [PaykitEndpoint]
    }

    /// Returns the endpoints of the one of `owner`'s receivers that has any, or those of the oldest form; nil if there
    /// are none. Throws ``PaykitNetworkError``: `methodNotSupported` if they are published only in a later form,
    /// `validationFailed` if several receivers have some. An app that may write only its own directory can be one of
    /// them, so none is chosen here.
    package func offer(of owner: PubkyKey) async throws(PaykitNetworkError) -> Offer? {
        let offers = try await offers(of: owner)
        try Self.requireOne(offers, of: owner)
        return offers.first
    }

    static func requireOne(_ offers: [Offer], of owner: PubkyKey) throws(PaykitNetworkError) {
        guard offers.count > 1 else { return }
        throw PaykitNetworkError(
            .validationFailed,
            "\(owner.text.prefix(8))… is paid through several apps (\(names(offers))), and any app that they have let in may be "
                + "one of them: ask them which, or for an invoice")
    }

    static func names(_ offers: [Offer]) -> String { offers.compactMap(\.receiver?.text).joined(separator: ", ") }

    /// Returns the endpoints of each of `owner`'s receivers that has any, or those of the oldest form. Those of two
    /// receivers are never mixed: each belongs to another app, which may be gone. Throws ``PaykitNetworkError``:
    /// `methodNotSupported` if they are published only in a later form.
    package func offers(of owner: PubkyKey) async throws(PaykitNetworkError) -> [Offer] {
        let server = try await reader.homeserver(of: owner)
        guard let survey = try await survey(owner, at: server) else { return [] }
        var offers: [Offer] = []
        for receiver in try await receivers(of: owner, survey, at: server) {
            let identifiers = try await identifiers(of: receiver, owner, at: server)
            let found = try await read(identifiers, in: Self.directory(of: receiver), of: owner, at: server)
            if !found.isEmpty { offers.append(Offer(receiver: receiver, endpoints: found)) }
        }
        guard offers.isEmpty else { return offers }
        let flat = try await read(survey.flat, in: Self.root, of: owner, at: server)
        if !flat.isEmpty { return [Offer(receiver: nil, endpoints: flat)] }
        guard !survey.isLater else { throw Self.later(owner) }
        return []
    }

    package static func later(_ owner: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .methodNotSupported,
            "\(owner.text.prefix(8))… can be paid with a newer form of Paykit than this app speaks: update the app, or ask "
                + "for an invoice")
    }

    private func read(
        _ identifiers: [PaykitIdentifier], in directory: String, of owner: PubkyKey, at server: Homeserver
    ) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        let some = identifiers.sorted { $0.text < $1.text }.prefix(Self.mostEndpoints)
        return try await PaykitEndpoint.all(in: some) { identifier async throws(PaykitNetworkError) in
            guard let file = try await server.read(PubkyAddress(in: owner, at: directory + identifier.text)),
                let payload = EndpointPayload(file), identifier.allows(payload.value)
            else { return nil }
            return PaykitEndpoint(methodID: identifier.text, payload)
        }
    }

    /// Returns the names of a directory's entries; nil if there are none. Those of subdirectories end with a slash.
    private func names(
        in directory: String, of owner: PubkyKey, at server: Homeserver
    ) async throws(PaykitNetworkError) -> [String]? {
        let entries = try await server.list(PubkyAddress(in: owner, at: directory), limit: 1000, isShallow: true)
        return entries?.compactMap { PercentCoding.decode($0.path.dropFirst(directory.utf8.count)) }
            .filter { !$0.isEmpty && !$0.dropLast().contains("/") }
    }

    package static func directory(of receiver: PaykitReceiverPath) -> String { "\(root)\(receiver)/endpoints/" }

    // MARK: Publishing

    /// Publishes an endpoint of the user's own app. `former` is the former name whose other identifiers are removed,
    /// because a payer would take them for valid alternatives; nil to keep them.
    package func publish(
        _ identifier: PaykitIdentifier, _ value: String, of receiver: PaykitReceiverPath, inPlaceOf former: String?,
        _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        guard let payload = EndpointPayload(value), identifier.allows(payload.value) else {
            throw PaykitNetworkError(
                .validationFailed, "what is to be published is nothing that '\(identifier)' names",
                methodID: identifier.text)
        }
        let server = try await reader.homeserver(of: session.user)
        let directory = Self.directory(of: receiver)
        try await server.write(
            payload.bytes, to: PubkyAddress(in: session.user, at: directory + identifier.text), session)
        guard let former else { return }
        for other in try await identifiers(of: receiver, session.user, at: server)
        where other != identifier && other.formerName == former {
            try await server.delete(PubkyAddress(in: session.user, at: directory + other.text), session)
        }
    }

    /// Removes the endpoints of the user's own app for `method`: one identifier, or all with this former name.
    package func remove(
        _ method: String, of receiver: PaykitReceiverPath, _ session: PubkySession
    ) async throws(PaykitNetworkError) {
        let server = try await reader.homeserver(of: session.user)
        for identifier in try await identifiers(of: receiver, session.user, at: server)
        where identifier.text == method || identifier.formerName == method {
            try await server.delete(
                PubkyAddress(in: session.user, at: Self.directory(of: receiver) + identifier.text), session)
        }
    }

    package func identifiers(
        of receiver: PaykitReceiverPath, _ owner: PubkyKey, at server: Homeserver
    ) async throws(PaykitNetworkError) -> [PaykitIdentifier] {
        (try await names(in: Self.directory(of: receiver), of: owner, at: server) ?? [])
            .filter { !$0.hasSuffix("/") }.compactMap { PaykitIdentifier($0) }
    }
}

// MARK: - Generation 2

/// The endpoints that users publish on their homeservers (Protocol 4).
package struct PaykitDirectory: Sendable {
    package let reader: PubkyReader

    package init(_ reader: PubkyReader) { self.reader = reader }

    package static let root = "/pub/paykit.app/v0/"
    package static let mostMethods = 32

    /// Returns the address of the endpoint of `method`. Throws `validationFailed` for a malformed name of a method.
    package static func address(of owner: PubkyKey, method: String) throws(PaykitNetworkError) -> PubkyAddress {
        guard PaykitEndpoint.isMethod(method), let address = try? PubkyAddress(owner, path: root + method) else {
            throw PaykitNetworkError(
                .validationFailed,
                "a payment method is named by lower-case letters, digits, '-' and ':', at most 32 of them, and not 'noise'",
                methodID: method)
        }
        return address
    }

    // MARK: Reading

    package func endpoint(of owner: PubkyKey, method: String) async throws(PaykitNetworkError) -> String? {
        let address = try Self.address(of: owner, method: method)
        return try EndpointFile.read(try await reader.file(address) ?? [], method: method)
    }

    /// Returns all endpoints that `owner` publishes, by method.
    ///
    /// A listed endpoint that cannot be read is left out, unless none can be read.
    package func endpoints(of owner: PubkyKey) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        guard let directory = try? PubkyAddress(owner, path: Self.root) else { return [] }
        let server = try await reader.homeserver(of: owner)
        let entries = try await server.list(directory, limit: 1000, isShallow: true) ?? []
        let names = entries.map { $0.path.dropFirst(Self.root.count) }.compactMap { PercentCoding.decode($0) }
            .filter { PaykitEndpoint.isMethod($0) }.sorted()
        return try await PaykitEndpoint.all(in: names.prefix(Self.mostMethods)) {
            method async throws(PaykitNetworkError) in
            let file = try await server.read(try Self.address(of: owner, method: method)) ?? []
            return try EndpointFile.read(file, method: method).map { PaykitEndpoint(methodID: method, endpoint: $0) }
        }
    }

    // MARK: Publishing

    package func publish(_ endpoint: PaykitEndpoint, _ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.address(of: session.user, method: endpoint.methodID)
        let text = endpoint.endpoint.trimmingWhitespace
        try require(
            !text.isEmpty && text.utf8.count <= EndpointFile.maximumLength, .validationFailed,
            "an endpoint has 1 to \(EndpointFile.maximumLength) bytes", methodID: endpoint.methodID)
        try await reader.homeserver(of: session.user).write(Array(text.utf8), to: address, session)
    }

    /// Removes an endpoint. Returns true if there was one.
    @discardableResult
    package func remove(_ method: String, _ session: PubkySession) async throws(PaykitNetworkError) -> Bool {
        let address = try Self.address(of: session.user, method: method)
        return try await reader.homeserver(of: session.user).delete(address, session)
    }
}

extension PaykitEndpoint {
    /// Returns the endpoints in files, by method; four files are read at a time. A file that cannot be read is left
    /// out, unless none can be read.
    static func all<File: Sendable>(
        in files: some Sequence<File>,
        _ read: @escaping @Sendable (File) async throws(PaykitNetworkError) -> PaykitEndpoint?
    ) async throws(PaykitNetworkError) -> [PaykitEndpoint] {
        let results = await withTaskGroup(of: Result<PaykitEndpoint?, PaykitNetworkError>.self) { group in
            var waiting = files.makeIterator()
            var results: [Result<PaykitEndpoint?, PaykitNetworkError>] = []
            func next() {
                guard let file = waiting.next() else { return }
                group.addTask {
                    do throws(PaykitNetworkError) {
                        return .success(try await read(file))
                    } catch { return .failure(error) }
                }
            }
            for _ in 0..<4 { next() }
            for await result in group {
                results.append(result)
                next()
            }
            return results
        }
        let found = results.compactMap { try? $0.get() }.compactMap(\.self)
        if found.isEmpty { for case .failure(let failure) in results { throw failure } }
        return found.sorted { $0.methodID < $1.methodID }
    }
}

extension PubkyAddress {
    /// Creates the address of a user's file or directory. Throws `validationFailed` for a malformed path.
    init(in owner: PubkyKey, at path: String) throws(PaykitNetworkError) {
        do { try self.init(owner, path: path) } catch { throw PaykitNetworkError(.validationFailed, "\(error)") }
    }
}
