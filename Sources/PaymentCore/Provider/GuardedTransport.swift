/// The network as one provider may use it: only declared hosts, no private network where others choose the host,
/// mutations only within their step, and no answer that repeats the credentials of its request.
package struct GuardedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let hosts: OutboundHosts
    private static let replacement = Array("<redacted>".utf8)

    /// Limits `base` to `hosts`.
    package init(base: any HTTPTransport, hosts: OutboundHosts) {
        self.base = base
        self.hosts = hosts
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let url = request.url
        guard hosts.permits(url) else {
            throw TransportError(.notSent, .hostNotDeclared(url.authority), origin: url.origin)
        }
        guard request.replay == .safe || StepScope.current?.isMutation == true else {
            throw TransportError(
                .notSent, .invalidRequest("a request that must not be repeated belongs in a mutation step"),
                origin: url.origin)
        }
        var request = request
        if hosts.isChosenByOthers(url) { request.reachesPrivateNetworks = false }
        guard let scope = StepScope.current else { return try await exchange(request) }
        scope.noteSending()
        guard !request.changesNothing else { return try await exchange(request) }
        do {
            let response = try await exchange(request)
            scope.note(response)
            return response
        } catch {
            if error.phase == .maybeSent { scope.noteLostAnswer() }
            throw error
        }
    }

    /// Sends a request. What the service repeats of its credentials, in an error's text or anywhere else, is taken out:
    /// such a text reaches errors, logs and the journal.
    private func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var response = try await base.send(request)
        for credential in request.headers.credentials {
            var start = 0
            // The replacement may be a credential, too: a service may have handed it out.
            while let found = ByteSearch.range(of: credential, in: response.body, from: start) {
                response.body.replaceSubrange(found, with: Self.replacement)
                start = found.lowerBound + Self.replacement.count
            }
        }
        return response
    }
}

extension HTTPHeaders {
    /// The shortest one; a shorter text would occur by chance.
    private static let shortestCredential = 8
    /// What the names of their fields contain.
    private static let credentialNames = ["authorization", "cookie", "api-key", "apikey", "token", "secret"]
        .map { Array($0.utf8) }

    /// The values that prove who sends, without the name of their scheme; each value of a cookie.
    fileprivate var credentials: [[UInt8]] {
        fields.flatMap { field -> [[UInt8]] in
            let name = Array(field.name.lowercased().utf8)
            guard Self.credentialNames.contains(where: { ByteSearch.range(of: $0, in: name, from: 0) != nil }) else {
                return []
            }
            let values =
                name == Array("cookie".utf8)
                ? field.value.utf8.split(separator: UInt8(ascii: ";")).map {
                    $0.split(separator: UInt8(ascii: "="), maxSplits: 1).last ?? $0
                }
                : [field.value.utf8.split(separator: UInt8(ascii: " ")).last ?? field.value.utf8[...]]
            return values.filter { $0.count >= Self.shortestCredential }.map(Array.init)
        }
    }
}
