/// The network as one provider may use it: only declared hosts, no private network where others choose the host, and
/// mutations only within their step.
package struct GuardedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let hosts: OutboundHosts

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
        guard let scope = StepScope.current else { return try await base.send(request) }
        scope.noteSending()
        guard !request.changesNothing else { return try await base.send(request) }
        do {
            let response = try await base.send(request)
            scope.note(response)
            return response
        } catch {
            if error.phase == .maybeSent { scope.noteLostAnswer() }
            throw error
        }
    }
}
