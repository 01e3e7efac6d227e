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
