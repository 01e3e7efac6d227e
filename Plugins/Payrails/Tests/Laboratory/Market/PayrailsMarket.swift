package import MarketModel
package import PaymentCore
package import PaymentTesting
import PayrailsProvider
import PayrailsSandbox
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payrails: its provider, its sandbox with all its scenarios, the payer's cards and pages, and a merchant that renews
/// expired sessions and cancels abandoned orders.
package struct PayrailsMarket: Market {
    private static let host = "api-pub.payrails.io"

    /// Most are ordinary payments: they have the most to lose.
    private static let scenarios: [PayrailsSandbox.Scenario] = {
        let all = PayrailsSandbox.Scenario.allCases
        return all + all.flatMap { _ in [.paid, .challenge, .paidWhileWaiting] }
    }()

    package static func maker(share: Int) -> MarketMaker {
        MarketMaker(share: share) { try PayrailsMarket($0) }
    }

    package let provider: any PaymentProvider
    private let sandbox: PayrailsSandbox
    private let books: Books
    private let pages: Payer

    init(_ world: SimulatedWorld) throws {
        var pace = PayrailsSandbox.Configuration()
        // An interrupted request to pay is never repeated: only the merchant can end it.
        pace.abandonedAfter = .seconds(1500)
        sandbox = PayrailsSandbox(pace, clock: world.clock, random: world.random)
        books = Books(clock: world.clock)
        provider = PayrailsProvider()
        world.connect(Front(sandbox: sandbox, books: books), to: Self.host)
        pages = PayrailsSandbox.payer(transport: DirectTransport(service: sandbox))
    }

    /// An application asks its merchant for a renewed session when the token has expired: later requests carry the new
    /// token.
    package func surround(_ context: ProviderContext) -> ProviderContext {
        context.copy(http: Renewing(base: context.http, sandbox: sandbox, books: books))
    }

    /// Cards and pages are the payer's: neither faults nor crashes of the process reach them.
    package func equip(_ payer: inout Payer) {
        let (browser, collector) = (payer.browser, payer.dataCollector)
        let pages = pages
        payer.browser = { page in
            let show = page.url.authority == Self.host ? pages.browser : browser
            return try await show?(page)
        }
        payer.dataCollector = { request in
            let isCard = request.fields.contains { $0.id == "card_number" }
            return try await (isCard ? pages.dataCollector : collector)?(request)
        }
    }

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let session = await sandbox.createSession(random.pick(Self.scenarios))
        books.note(session)
        return MarketPayment(
            reference: PaymentReference(provider: PayrailsProvider.id, id: session.id), links: [session.link])
    }

    package func captures(of payment: PaymentReference) async -> Int { await sandbox.ledger.captures(of: payment.id) }

    package func isPaid(_ payment: PaymentReference) async -> Bool { await captures(of: payment) > 0 }

    /// Only the last accepted request to pay can have moved the money.
    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        guard books.acceptedKey(of: attempt.reference.id) == attempt.idempotencyKey.uppercased() else { return false }
        return await isPaid(attempt.reference)
    }

    package var canBePaidAfterRefusal: Bool { true }

    /// The service states no amounts and no transactions.
    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        receipt.amount == nil && receipt.transactionID == nil ? nil : "states what the service never said"
    }

    package func returns(of payment: PaymentReference) -> [String] {
        [
            "https://assets.payrails.io/html/payrails-success.html",
            "https://assets.payrails.io/html/payrails-cancel.html",
            "https://\(Self.host)/public/redirect/merchant/m/\(payment.id)/success",
        ]
    }

    package func payment(movedBy request: HTTPRequest) -> String? {
        guard request.url.authority == Self.host, request.method == .post else { return nil }
        return Self.execution(request, ["authorize", "confirm"])
    }

    /// The execution of `request`: `…/executions/{id}`, followed by one of `verbs`, if given.
    private static func execution(_ request: HTTPRequest, _ verbs: [String]? = nil) -> String? {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard let index = path.firstIndex(of: "executions"), index + 1 < path.count else { return nil }
        if let verbs, path.last.map(verbs.contains) != true { return nil }
        return path[index + 1]
    }

    /// The merchant's records: the valid tokens, and the request to pay that was accepted last.
    private final class Books: Sendable {
        private struct Session {
            var token: String
            /// Virtual time at which the service first refused the token.
            var refused: Date?
            var acceptedKey: String?
        }

        private let clock: any PaymentClock
        private let sessions = Mutex<[String: Session]>([:])

        init(clock: any PaymentClock) { self.clock = clock }

        func note(_ session: PayrailsSandbox.Session) {
            guard let token = Self.token(session) else { return }
            sessions.withLock { $0[session.id, default: Session(token: token)].token = token }
            sessions.withLock { $0[session.id]?.refused = nil }
        }

        /// The token that replaces the link's token.
        func token(of id: String) -> String? { sessions.withLock { $0[id]?.token } }

        func acceptedKey(of id: String) -> String? { sessions.withLock { $0[id]?.acceptedKey } }

        func noteAccepted(_ key: String?, _ id: String) { sessions.withLock { $0[id]?.acceptedKey = key } }

        /// Notes that the service refuses the token of `id`.
        func noteRefused(_ token: String, _ id: String) {
            let now = clock.now
            sessions.withLock { sessions in
                guard let session = sessions[id], session.token == token, session.refused == nil else { return }
                sessions[id]?.refused = now
            }
        }

        /// True if the service refused the token of `id` at least half a minute ago.
        func isOverdue(_ id: String) -> Bool {
            let now = clock.now
            return sessions.withLock { $0[id]?.refused.map { now.timeIntervalSince($0) >= 30 } ?? false }
        }

        private static func token(_ session: PayrailsSandbox.Session) -> String? {
            Data(base64Encoded: session.data.reveal())
                .flatMap { try? JSONValue(parsing: Array($0)) }?["token"]?.string
        }
    }

    /// The network of an application that renews its sessions.
    private struct Renewing: HTTPTransport {
        let base: any HTTPTransport
        let sandbox: PayrailsSandbox
        let books: Books

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            var request = request
            if let id = PayrailsMarket.execution(request) {
                if books.isOverdue(id), let renewed = await sandbox.renewSession(id) { books.note(renewed) }
                if let token = books.token(of: id) { request.headers["Authorization"] = "Bearer \(token)" }
            }
            return try await base.send(request)
        }
    }

    /// The sandbox, with records of its acceptances and refusals.
    private struct Front: SandboxService {
        let sandbox: PayrailsSandbox
        let books: Books

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let response = await sandbox.respond(to: request)
            guard let id = PayrailsMarket.execution(request) else { return response }
            if response.status == 401, let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) {
                books.noteRefused(String(token), id)
            }
            if (200..<300).contains(response.status), PayrailsMarket.execution(request, ["authorize"]) != nil {
                books.noteAccepted(request.headers["x-idempotency-key"], id)
            }
            return response
        }
    }
}
