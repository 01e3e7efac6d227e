package import PaymentCore

/// Reads what users of the Pubky network publish, wherever their data lies.
package struct PubkyReader: Sendable {
    package let locator: HomeserverLocator
    private let http: any HTTPTransport
    /// What homeservers speak; nil to ask none, and to speak as all of them understand.
    private let features: HomeserverFeatures?

    package init(
        _ locator: HomeserverLocator, over http: any HTTPTransport, features: HomeserverFeatures? = nil
    ) {
        self.locator = locator
        self.http = http
        self.features = features
    }

    /// The homeserver of `user`.
    package func homeserver(of user: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        let url = try await locator.address(of: user)
        let server = Homeserver(url, over: http)
        guard let features, await features.hasStoragePaths(server, for: user) else { return server }
        return Homeserver(url, over: http, hasStoragePaths: true)
    }

    /// The homeserver whose key is `server`.
    package func homeserver(called server: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        Homeserver(try await locator.address(ofServer: server), over: http)
    }

    /// The content of a file; nil when there is none.
    package func file(_ address: PubkyAddress) async throws(PaykitNetworkError) -> [UInt8]? {
        guard case .file(let file) = try await homeserver(of: address.owner).read(address) else { return nil }
        return file.content
    }

    /// All files in a directory, page by page; those in directories below it too, unless `isShallow`.
    ///
    /// - Parameter most: more is not asked for: a server could go on for ever.
    package func list(
        _ directory: PubkyAddress, isShallow: Bool, most: Int
    ) async throws(PaykitNetworkError) -> [PubkyAddress] {
        let server = try await homeserver(of: directory.owner)
        var found: [PubkyAddress] = []
        while found.count < most {
            let limit = min(1000, most - found.count)
            guard
                let page = try await server.list(directory, limit: limit, after: found.last, isShallow: isShallow),
                !page.isEmpty
            else { break }
            // A server that begins again would keep us here.
            if let last = found.last, let next = page.first, next.path <= last.path { break }
            found += page
            if page.count < limit { break }
        }
        return Array(found.prefix(most))
    }
}
