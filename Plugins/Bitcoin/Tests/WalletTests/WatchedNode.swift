import BitcoinSandbox
import PaymentCore
import PaymentTesting
import Synchronization
import Testing

/// All that passes between a wallet and its node, held against the facts of the interface as it passes: a breach is an
/// issue of the test that runs.
final class WalletTraffic: Sendable {
    /// A request that reached the node, and the node's answer.
    struct Exchange: Sendable {
        var request: HTTPRequest
        var response: HTTPResponse
    }

    let facts: WalletFacts
    private let state = Mutex<[Exchange]>([])

    init(_ facts: WalletFacts) { self.facts = facts }

    /// The exchanges so far.
    var exchanges: [Exchange] { state.withLock { $0 } }

    func check(_ request: HTTPRequest) { report(facts.breaches(of: request)) }

    func check(_ response: HTTPResponse, to request: HTTPRequest) {
        report(facts.breaches(of: response, to: request))
        state.withLock { $0.append(Exchange(request: request, response: response)) }
    }

    private func report(_ breaches: [String]) {
        for breach in breaches { Issue.record("\(breach)") }
    }
}

/// The way of a wallet's requests, each of which is checked. Where a node would answer at the end of a payment that is
/// in flight, the request's time is over.
struct WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    let traffic: WalletTraffic

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        traffic.check(request)
        let response = try await base.send(request)
        guard !isEarly(response, to: request) else {
            throw TransportError(.maybeSent, .timedOut, origin: request.url.origin)
        }
        return response
    }

    /// True for the line of a payment in flight where the wallet has asked LND for the last line only.
    private func isEarly(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        let body = try? JSONValue(parsing: request.body)
        let status = (try? JSONValue(parsing: response.body))?["result"]?["status"]
        return status == "IN_FLIGHT"
            && (request.url.query == "no_inflight_updates=true" || body?["no_inflight_updates"] == true)
    }
}

/// A node whose answers are checked.
struct WatchedNode: SandboxService {
    let node: SimulatedNode
    let traffic: WalletTraffic
    /// True if its answers have only what the interface promises.
    let isTerse: Bool

    func respond(to request: HTTPRequest) async -> HTTPResponse { await node.respond(to: request) }

    func answer(to request: HTTPRequest) async -> SandboxAnswer {
        let answer = await node.answer(to: request)
        guard case .response(let response) = answer else { return answer }
        traffic.check(response, to: request)
        return isTerse ? .response(traffic.facts.promised(response, to: request)) : answer
    }
}
