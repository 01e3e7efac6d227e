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

    /// Returns the endpoints of the one of `owner`'s receivers that has any, or those of the oldest form; nil when
    /// there are none. Throws ``PaykitNetworkError``; `methodNotSupported` when they are published only in a later
    /// form; `validationFailed` when several receivers have some: an app that may write its own directory only can be
    /// one of them, so that none is chosen here.
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
    /// receivers are never mixed: each belongs to another app, which may be gone. Throws ``PaykitNetworkError``;
    /// `methodNotSupported` when they are published only in a later form.
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

    /// Returns the names of a directory's entries; nil where there are none. Those of subdirectories end with a slash.
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
