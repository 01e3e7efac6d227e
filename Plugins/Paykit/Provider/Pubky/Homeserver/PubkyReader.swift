/// Reads files of users of the Pubky network, at whichever homeserver keeps them.
package struct PubkyReader: Sendable {
    package let locator: HomeserverLocator
    private let http: any HTTPTransport
    /// The features of homeservers; nil to ask none, and to use only what all of them support.
    private let features: HomeserverFeatures?

    package init(_ locator: HomeserverLocator, over http: any HTTPTransport, features: HomeserverFeatures? = nil) {
        self.locator = locator
        self.http = http
        self.features = features
    }

    package func homeserver(of user: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        let url = try await locator.address(of: user)
        let server = Homeserver(url, over: http)
        guard let features, await features.hasStoragePaths(server, for: user) else { return server }
        return Homeserver(url, over: http, hasStoragePaths: true)
    }

    package func homeserver(called server: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        Homeserver(try await locator.address(ofServer: server), over: http)
    }

    package func file(_ address: PubkyAddress) async throws(PaykitNetworkError) -> [UInt8]? {
        try await homeserver(of: address.owner).read(address)
    }

    /// Returns all files in a directory, page by page; those in subdirectories too, unless `isShallow`. `most` is the
    /// greatest number of files, because a server could list files without end.
    package func list(
        _ directory: PubkyAddress, isShallow: Bool, most: Int
    ) async throws(PaykitNetworkError) -> [PubkyAddress] {
        let server = try await homeserver(of: directory.owner)
        var found: [PubkyAddress] = []
        while found.count < most {
            let limit = min(1000, most - found.count)
            guard let page = try await server.list(directory, limit: limit, after: found.last, isShallow: isShallow),
                !page.isEmpty
            else { break }
            // Ends the listing when a server begins again, which would otherwise repeat without end.
            if let last = found.last, let next = page.first, next.path <= last.path { break }
            found += page
            if page.count < limit { break }
        }
        return Array(found.prefix(most))
    }
}
