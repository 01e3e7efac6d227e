import PaykitProvider
import PaymentCore

/// Files and directories (Protocol 3.5).
extension PubkySandbox {
    func read(_ path: String, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse {
        guard let file = tenants[owner]?.files[path] else { throw .notFound }
        if let status = file.refusal { throw PubkySandboxError(status) }
        guard request.method == .get, file.isKnown(request.headers, now: clock.now) else {
            return HTTPResponse(status: 200, headers: file.headers(path), body: file.content)
        }
        var response = HTTPResponse(status: 304)
        for name in ["ETag", "Last-Modified", "Vary", "Cache-Control"] {
            response.headers[name] = file.headers(path)[name]
        }
        return response
    }

    func write(_ path: PubkyPath, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse
    {
        guard request.body.count <= configuration.fileLimit else {
            throw PubkySandboxError(413, "length limit exceeded")
        }
        guard let tenant = tenants[owner] else { throw .notFound }
        guard !tenant.isDisabled else { throw PubkySandboxError(403, "User is disabled") }
        // The real service's answer to the name of a directory is not known.
        guard !path.isDirectory else { throw PubkySandboxError(400, "Invalid path: it names a directory") }
        if tenant.isFull(for: request.body.count, at: path.text), let quota = tenant.quota {
            let tenths = (Double(quota) / 1024 / 1024 * 10).rounded()
            throw PubkySandboxError(507, "Disk space quota of \(tenths / 10) MB exceeded. Write operation failed.")
        }
        store(request.body, at: path.text, of: owner)
        return HTTPResponse(status: 201)
    }

    func delete(_ path: String, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse {
        guard discard(path, of: owner) else { throw .notFound }
        return HTTPResponse(status: 204)
    }

    /// Returns one page of the paths below `directory`.
    func list(_ directory: String, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse
    {
        let below = (tenants[owner]?.files.keys ?? [:].keys).filter { $0.hasPrefix(directory) }
        guard !below.isEmpty else { throw PubkySandboxError(404, "Directory Not Found") }
        let query = PubkyQuery(request)
        let isReverse = try query.flag("reverse")
        var paths: Set<String> = Set(below)
        if try query.flag("shallow") {
            paths = Set(
                below.map { path in
                    let rest = path.dropFirst(directory.count)
                    guard let slash = rest.firstIndex(of: "/") else { return path }
                    return directory + rest[...slash]
                })
        }
        let cursor = try query["cursor"].flatMap { $0.isEmpty ? nil : $0 }.map(Self.cursor)
        var sorted = paths.sorted { Self.precedes($0, $1) }
        if isReverse { sorted.reverse() }
        if let cursor {
            sorted = sorted.filter { isReverse ? Self.precedes($0, cursor) : Self.precedes(cursor, $0) }
        }
        var lines = sorted.prefix(query.limit(usual: 100, most: 1000)).map { "pubky://\(owner)\($0)" }
        if plans[owner]?.server == .listsForeign {
            lines += ["pubky://\(homeserver)\(directory)lightning", "pubky://\(owner)/pub/other.app/lightning"]
        }
        return Self.text(lines.joined(separator: "\n"))
    }

    /// Returns the path that a cursor names: an entry as it is listed, with or without the scheme.
    private static func cursor(_ text: String) throws(PubkySandboxError) -> String {
        let entry = text.hasPrefix("pubky://") ? text.dropFirst("pubky://".count) : text[...]
        guard let slash = entry.firstIndex(of: "/"), (try? PubkyKey(bare: entry[..<slash])) != nil,
            let path = try? PubkyPath(decoded: String(entry[slash...]))
        else { throw PubkySandboxError(400, "Invalid cursor") }
        return path.text
    }

    /// The order of listings: by bytes.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    // MARK: Storage

    func store(_ content: [UInt8], at path: String, of owner: PubkyKey, refusal: Int? = nil) {
        let file = PubkyFile(content, at: clock.now, refusal: refusal)
        tenants[owner, default: PubkyTenant(quota: configuration.quota)].write(file, at: path)
        note(PubkyEvent(owner: owner, path: path, hash: file.hash))
    }

    func discard(_ path: String, of owner: PubkyKey) -> Bool {
        guard tenants[owner]?.remove(path) == true else { return false }
        note(PubkyEvent(owner: owner, path: path, hash: nil))
        return true
    }
}
