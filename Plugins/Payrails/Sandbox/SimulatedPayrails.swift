package import PaymentCore
package import PaymentTesting
import PayrailsMerchant
import PayrailsProvider
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payrails as tests and the simulator know it: the provider and the merchant's service at a sandbox with all its
/// scenarios, the payer's cards and pages, a merchant that renews expired sessions and cancels abandoned orders, and
/// another merchant.
package struct SimulatedPayrails: SimulatedVendor {
    /// The name of the scenario whose payment the payer has authorised already: it is paid once it is captured.
    package static let authorized = "authorized"

    private static let host = "api-pub.payrails.io"
    private static let key = Redacted("key-canary-4f1c9e")
    private static let mark = Redacted("mark-canary-4f1c9e")

    package let scenarios =
        PayrailsSandbox.Scenario.allCases.map { SimulatedScenario($0) } + [
            SimulatedScenario(authorized, "authorised, and captured by the merchant", ending: .authorized)
        ]
    package let capabilities: Set<ProviderDescriptor.Capability>
    package let services: [any PaymentService]
    package let payer: Payer
    /// The key, the secret of notifications, the payer's card and address, and the beginning of each session's token.
    package let secrets = [
        key.reveal(), mark.reveal(), "4111111111111111", "ada@example.com", "eyJhbGciOiJSUzI1NiIs",
    ]
    /// The service of the merchant itself.
    package var sandbox: PayrailsSandbox { shops.own }
    private let shops: Shops
    private let sessions: Sessions

    /// The merchant's own sandbox, that of another merchant, and the service as it was two days ago.
    private struct Shops: Sendable {
        let own: PayrailsSandbox
        let others: PayrailsSandbox
        let old: PayrailsSandbox
    }

    package init(clock: any PaymentClock, random: any RandomSource) throws {
        self.init(paying: nil, clock: clock, random: random)
    }

    /// Opens the service without payments.
    ///
    /// - Parameters:
    ///   - option: the beginning of the option's id that the payer chooses; nil for the first one.
    ///   - hasMerchant: false for the payer's provider alone.
    package init(
        paying option: String? = nil, hasMerchant: Bool = true, clock: any PaymentClock, random: any RandomSource
    ) {
        func sandbox(_ mark: Redacted<String>, _ clock: any PaymentClock) -> PayrailsSandbox {
            var rules = PayrailsSandbox.Configuration()
            // An interrupted request to pay is never repeated: only the merchant can end it.
            rules.abandonedAfter = .seconds(1200)
            rules.clientSecret = Self.key
            rules.webhookSecret = mark
            return PayrailsSandbox(rules, clock: clock, random: random)
        }
        shops = Shops(
            own: sandbox(Self.mark, clock), others: sandbox(Redacted("mark-of-another-merchant"), clock),
            old: sandbox(Self.mark, OffsetClock(clock, by: -86_401)))
        sessions = Sessions(clock: clock)
        let merchant = PayrailsMerchant(
            id: PayrailsProvider.id, endpoint: .production,
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Self.key), captureMode: .manual,
            notificationSecrets: [Self.mark], clock: clock)
        services = hasMerchant ? [PayrailsProvider(), merchant] : [PayrailsProvider()]
        capabilities =
            hasMerchant
            ? [.completesRedirects, .captures, .refunds, .cancels, .verifiesNotifications] : [.completesRedirects]
        var payer = PayrailsSandbox.payer(transport: DirectTransport(service: shops.own))
        if let option {
            payer.policy = nil
            payer.chooser = { quote in quote.options.first { $0.id.hasPrefix(option) }?.id }
        }
        self.payer = payer
    }

    package var hosts: [String: any SandboxService] {
        [Self.host: Front(sandbox: shops.own, sessions: sessions), "api.payrails.io": shops.own]
    }

    package func makePayment(
        _ scenario: SimulatedScenario, over amount: Money?
    ) async throws -> any SimulatedPayment {
        let price = try amount ?? Money(decimal: "99.00", currency: .eur)
        guard let known = PayrailsSandbox.Scenario(rawValue: scenario.name) else {
            for shop in [shops.others, shops.old] {
                let session = await shop.createSession()
                await shop.pay(session)
                await shop.capture(session)
            }
            let session = await shops.own.createSession(amount: price)
            await shops.own.pay(session)
            return SessionPayment(session: session, price: price, isAuthorized: true, paid: session, shops: shops)
        }
        let session = await shops.own.createSession(known, amount: price)
        sessions.note(session)
        let paid = await shops.own.createSession(.paid)
        await shops.own.pay(paid)
        return SessionPayment(session: session, price: price, isAuthorized: false, paid: paid, shops: shops)
    }

    /// Returns the execution of `request`: `…/executions/{id}`, followed by one of `verbs`, if given.
    private static func execution(_ request: HTTPRequest, _ verbs: [String]? = nil) -> String? {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard let index = path.firstIndex(of: "executions"), index + 1 < path.count else { return nil }
        if let verbs, path.last.map(verbs.contains) != true { return nil }
        return path[index + 1]
    }

    private struct SessionPayment: SimulatedPayment {
        let session: PayrailsSandbox.Session
        let price: Money?
        let isAuthorized: Bool
        /// Another session at the service, which is paid.
        let paid: PayrailsSandbox.Session
        let shops: Shops

        var reference: PaymentReference { PaymentReference(provider: PayrailsProvider.id, id: session.id) }
        var links: [String] { [session.link] }

        func pay() async { await shops.own.capture(session) }

        func authorize() async {}

        func truth() async -> PaymentTruth {
            let events = await shops.own.ledger.events(of: session.id)
            var truth = PaymentTruth(events, reading: Self.money)
            truth.captured = await shops.own.captures(of: session)
            if isAuthorized {
                // A payment that was cancelled after its capture is refunded.
                let isKept = events.contains(.settled) && !events.contains(.cancelled)
                truth.taken = isKept ? [price?.minorUnits] : []
            }
            truth.isPaid = !truth.taken.isEmpty
            // A captured amount is refunded when the payment is cancelled.
            truth.isReturned = truth.cancellations > 0
            truth.amounts = price.map { [$0] } ?? []
            return truth
        }

        private static func money(_ text: String) -> Money? {
            let words = text.split(separator: " ")
            guard words.count == 2, let currency = try? FiatCurrency(String(words[1])) else { return nil }
            return try? Money(decimal: String(words[0]), currency: .fiat(currency))
        }

        func isMoved(by request: HTTPRequest) -> Bool {
            request.url.authority == SimulatedPayrails.host && request.method == .post
                && SimulatedPayrails.execution(request, ["authorize", "confirm"]) == session.id
        }

        func messages() async -> VendorMessages {
            let page = "https://assets.payrails.io/html/payrails"
            let redirect = "https://\(SimulatedPayrails.host)/public/redirect/merchant/m"
            var messages = VendorMessages()
            messages.returns =
                ["success", "cancel", "error"].map { "\(page)-\($0).html" } + ["\(redirect)/\(session.id)/success"]
            messages.foreignReturns = [
                "\(redirect)/\(paid.id)/success", "\(page)-success.html?executionId=\(paid.id)",
            ]
            messages.notifications = await shops.own.incoming.filter { $0.execution == session.id }.map(\.notification)
            messages.foreignNotifications = await shops.others.incoming.map(\.notification)
            messages.staleNotifications = await shops.old.incoming.map(\.notification)
            return messages
        }
    }

    /// The sessions whose tokens an application renews.
    private final class Sessions: Sendable {
        private struct Entry {
            var token: String
            /// The time when the service first refused the token.
            var refused: Date?
        }

        private let clock: any PaymentClock
        private let entries = Mutex<[String: Entry]>([:])

        init(clock: any PaymentClock) { self.clock = clock }

        func note(_ session: PayrailsSandbox.Session) {
            let data = Data(base64Encoded: session.data.reveal()).map { Array($0) } ?? []
            guard let token = (try? JSONValue(parsing: data))?["token"]?.string else { return }
            entries.withLock { $0[session.id] = Entry(token: token) }
        }

        func token(of id: String) -> String? { entries.withLock { $0[id]?.token } }

        /// Notes that the service refuses the token of `id`.
        func noteRefused(_ id: String) {
            let now = clock.now
            entries.withLock { entries in
                if entries[id]?.refused == nil { entries[id]?.refused = now }
            }
        }

        /// True if the service refused the token of `id` at least half a minute ago.
        func isOverdue(_ id: String) -> Bool {
            let now = clock.now
            return entries.withLock { $0[id]?.refused.map { now.timeIntervalSince($0) >= 30 } ?? false }
        }
    }

    /// The service for an application that gets a renewed session from its merchant when the token has expired.
    private struct Front: SandboxService {
        let sandbox: PayrailsSandbox
        let sessions: Sessions

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            guard let id = SimulatedPayrails.execution(request), request.headers["Authorization"] != nil else {
                return await sandbox.respond(to: request)
            }
            var request = request
            if sessions.isOverdue(id), let renewed = await sandbox.renewSession(id) { sessions.note(renewed) }
            if let token = sessions.token(of: id) { request.headers["Authorization"] = "Bearer \(token)" }
            let response = await sandbox.respond(to: request)
            if response.status == 401 { sessions.noteRefused(id) }
            return response
        }
    }
}

extension PayrailsSandbox {
    fileprivate var incoming: [(execution: String, notification: IncomingNotification)] {
        notifications.map { ($0.execution, IncomingNotification(headers: $0.headers, body: $0.body)) }
    }
}

extension SimulatedScenario {
    init(_ scenario: PayrailsSandbox.Scenario) {
        let ending: Ending =
            switch scenario.expectedOutcome {
            case _ where scenario == .neverSettles: .open
            case .paid: .paid
            case .declined: .declined
            case .pending: .unknown
            case .unknown: .unknown
            case .refused: .refused
            }
        // A sandbox lists it by what its payer sees at first.
        let group = scenario.expectedOutcome == .pending ? Ending.open.heading : nil
        self.init(scenario.rawValue, scenario.summary, ending: ending, group: group)
    }
}
