package import PaymentCore
import PaymentLoopback
package import PaymentTesting
package import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sandbox's home: pages for people at `/`, an interface for programs at `/_sandbox/`, and behind both the
/// services, whose requests it logs and, on request, spoils.
///
/// It also sees what other programs do over HTTP. Nothing is loaded from or sent to any other place.
package actor SandboxHome: SandboxService {
    nonisolated let services: [any ListedService]
    nonisolated let showsTampered: Bool
    nonisolated let actions: any SandboxActions
    /// The clock of the services.
    package nonisolated let clock: SandboxClock
    nonisolated let random: any RandomSource
    private nonisolated let behind: any SandboxService
    private let hear: (@Sendable (HomeEvent) -> Void)?
    var homeLedger = HomeLedger()
    var faults: [PlannedFault] = []
    /// For each service, the place of its first notification that is not settled, and the notifications reported from
    /// there on.
    private var published: [String: (start: Int, notifications: [SentNotification])] = [:]
    private var watch: Task<Void, Never>?
    private var payments: [String: Task<Void, Never>] = [:]

    /// The most faults that can wait for their request.
    static let mostFaults = 100

    /// Creates a home.
    ///
    /// - Parameters:
    ///   - services: The services that it shows and serves. If several claim one path, the first one answers.
    ///   - showsTampered: True if it also lists what a dishonest gateway shows.
    ///   - hear: Called with every event, one after the other.
    package init(
        _ services: [any ListedService], showsTampered: Bool = false, actions: any SandboxActions, clock: SandboxClock,
        random: any RandomSource = SystemRandomSource(), hear: (@Sendable (HomeEvent) -> Void)? = nil
    ) {
        self.services = services
        self.showsTampered = showsTampered
        behind = SharedAddress(services.flatMap { $0.routes() })
        self.actions = actions
        self.clock = clock
        self.random = random
        self.hear = hear
    }

    /// Looks for changes without a request, once a second, until ``close()``.
    package func open() {
        guard watch == nil else { return }
        watch = Task { [weak self] in
            var seconds = 0
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                seconds += 1
                await self?.refresh()
                if seconds.isMultiple(of: 15) { await self?.beat() }
            }
        }
    }

    /// Ends all streams and all work in progress.
    package func close() async {
        watch?.cancel()
        watch = nil
        for task in payments.values { task.cancel() }
        homeLedger.finish()
        for service in services { await service.close() }
    }

    private func beat() { homeLedger.beat() }

    // MARK: Requests

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        if case .response(let response) = await answer(to: request) { return response }
        return HTTPResponse(status: 500)
    }

    package func answer(to request: HTTPRequest) async -> SandboxAnswer {
        let style = NumberStyle(acceptLanguage: request.headers["Accept-Language"])
        return await NumberStyle.$visitor.withValue(style) { await guarded(request) }
    }

    private func guarded(_ request: HTTPRequest) async -> SandboxAnswer {
        guard !HomeGuard.isForged(request) else { return .response(HomeGuard.refusal) }
        if let leave = HomeGuard.leave(for: request) { return HomeGuard.allowing(request, .response(leave)) }
        let path = request.url.path.split(separator: "/").map(String.init)
        let answer: SandboxAnswer
        // The server omits the body. Everything else is as for GET.
        var asked = request
        if request.method.rawValue == "HEAD" { asked.method = .get }
        switch path.first {
        case "_sandbox": answer = await api(asked, Array(path.dropFirst()))
        // Browsers request it by themselves. No page names it.
        case "favicon.ico" where path.count == 1: answer = .response(HomeFrame.icon)
        case "health" where path.count == 1: answer = .response(.json(["status": "ok"]))
        case nil, "playground", "scenarios", "ledger": answer = .response(await page(asked, path))
        default: answer = missing(request, await pass(request))
        }
        return HomeGuard.allowing(request, answer)
    }

    /// Passes a request to the services, and logs request and answer.
    private func pass(_ request: HTTPRequest) async -> SandboxAnswer {
        let start = clock.uptime
        var payment = await payment(in: request.url.path + " " + (request.url.query ?? ""), request.body)
        let fault = faults.firstIndex { $0.fits(request, about: payment) }.map { faults.remove(at: $0) }
        let answer: SandboxAnswer
        if let fault {
            answer = await fault.kind.fault.answer(to: request, of: behind, clock: SystemPaymentClock())
        } else {
            answer = await behind.answer(to: request)
        }
        await refresh()
        var status = 0
        if case .response(let response) = answer {
            status = response.status
            // A request that makes a payment is matched by the payment's name in its answer.
            if payment == nil { payment = await self.payment(in: "", response.body) }
        }
        // A person's visit is not a request of a program under test.
        if Self.isVisit(request), fault == nil { return answer }
        let milliseconds = (clock.uptime - start) / .milliseconds(1)
        note(
            .request, "\(request.method.rawValue) \(request.url.path.prefix(200))",
            detail: "\(Int(milliseconds.rounded())) ms", service: payment.flatMap { homeLedger.entries[$0]?.service },
            payment: payment, status: status, fault: fault?.kind.rawValue)
        return answer
    }

    /// The payment that a request is about: the first token in it that is, or stands for, a payment's name.
    private func payment(in path: String, _ body: [UInt8]) async -> String? {
        let words = Self.words(path.utf8) + Self.words(body.prefix(16 << 10))
        if let known = words.first(where: { homeLedger.entries[$0] != nil }) { return known }
        for service in services {
            for word in words.prefix(40) {
                if let id = await service.payment(named: word), homeLedger.entries[id] != nil { return id }
            }
        }
        return nil
    }

    /// The parts that look like a name or a token: 12 characters at least.
    private static func words(_ bytes: some Collection<UInt8>) -> [String] {
        bytes.split { !($0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")) }
            .filter { $0.count >= 12 && $0.count <= 200 }.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: What happened

    func note(
        _ kind: HomeEvent.Kind, _ title: String, detail: String = "", service: String? = nil, payment: String? = nil,
        status: Int? = nil, fault: String? = nil
    ) {
        let event = homeLedger.note(
            kind, title, detail: detail, service: service, payment: payment, status: status, fault: fault, at: clock.now
        )
        hear?(event)
    }

    /// Reads the new entries of the services' ledgers and the new notifications.
    package func refresh() async {
        for service in services {
            let ledger = await service.ledger
            for id in homeLedger.strangers(in: ledger, of: service.id) {
                homeLedger.learn(await service.facts(of: id), of: id, of: service.id, at: clock.now)
            }
            for event in homeLedger.read(ledger, of: service.id, at: clock.now) { hear?(event) }
            let start = published[service.id]?.start ?? 0
            if let notifications = await service.notifications(from: start) {
                publish(notifications, from: start, of: service.id)
            }
        }
    }

    private func publish(_ notifications: [SentNotification], from start: Int, of service: String) {
        let before = published[service] ?? (start, [])
        // A later refresh may have ended sooner.
        guard before.start == start, before.notifications.count <= notifications.count else { return }
        for (place, notification) in notifications.enumerated() {
            if place < before.notifications.count, before.notifications[place] == notification { continue }
            let state =
                !notification.isSent
                ? "no receiver for it"
                : notification.isDelivered
                    ? "delivered" : notification.attempts == 0 ? "on its way" : "not accepted yet"
            let count = notification.attempts > 1 ? ", \(notification.attempts) attempts" : ""
            note(
                .notification, notification.kind, detail: state + count, service: service,
                payment: notification.payment)
        }
        let settled = notifications.prefix(while: \.isSettled).count
        published[service] = (start + settled, Array(notifications.dropFirst(settled)))
    }

    /// The ledgers' statuses of every payment, in the order of their creation, by any program.
    package func closing() async -> [(service: String, payment: String, scenario: String?, words: [LedgerStatus])] {
        await refresh()
        return homeLedger.order.compactMap { homeLedger.entries[$0] }.map {
            ($0.service, $0.id, $0.listed?.scenario ?? $0.facts?.kind, $0.words)
        }
    }

    // MARK: Doing

    /// Makes a payment. Returns nil if there is no such scenario, or if it does not allow the amount.
    package func make(
        _ scenario: String, of service: String, amount: Money? = nil, at base: HTTPURL
    ) async -> SandboxPayment? {
        guard let service = self.service(service),
            let payment = await service.make(scenario, amount: amount, at: base)
        else { return nil }
        homeLedger.add(payment, of: service.id, at: clock.now)
        await refresh()
        return payment
    }

    /// Pays as the simulated payer, and logs each step. A payment in progress is not paid a second time.
    ///
    /// - Returns: The work, or nil if there is nothing to pay here.
    func pay(_ id: String, at base: HTTPURL) -> Task<Void, Never>? {
        guard let entry = homeLedger.entries[id] else { return nil }
        if let task = payments[id] { return task }
        guard let listed = entry.payable else { return nil }
        homeLedger.change(id) { $0.isBeingPaid = true }
        let (steps, published) = AsyncStream.makeStream(of: (String, String).self)
        let actions = actions
        let task = Task {
            async let report = actions.pay(listed, at: base) { published.yield(($0, $1)) }
            let narrator = Task {
                for await (label, text) in steps { self.step(label, text, of: id) }
            }
            let ended = await report
            published.finish()
            await narrator.value
            self.end(id, ended)
        }
        payments[id] = task
        return task
    }

    private func step(_ label: String, _ text: String, of id: String) {
        note(.step, label, detail: text, service: homeLedger.entries[id]?.service, payment: id)
    }

    private func end(_ id: String, _ report: PaidReport) {
        payments[id] = nil
        homeLedger.change(id) {
            $0.isBeingPaid = false
            $0.report = report
        }
        step(report.outcome, report.reason, of: id)
    }

    /// Sets the services' clock forward.
    func advance(bySeconds seconds: Int64) async {
        clock.advance(bySeconds: seconds)
        note(.clock, "clock set forward", detail: "\(seconds) s")
        for service in services { await service.expire() }
        await refresh()
    }

    /// Sends the newest notification about a payment again, and waits for its receiver's response.
    func notifyAgain(_ id: String) async -> SentNotification? {
        guard let entry = homeLedger.entries[id],
            let notification = await service(entry.service)?.notifyAgain(about: id)
        else { return nil }
        note(
            .notification, notification.kind,
            detail: notification.isDelivered ? "sent again: delivered" : "sent again: not accepted",
            service: entry.service, payment: id)
        return notification
    }

    nonisolated func service(_ id: String) -> (any ListedService)? { services.first { $0.id == id } }

    /// Spoils the next fitting request. False when too many faults wait already.
    func plan(_ fault: PlannedFault) -> Bool {
        guard faults.count < Self.mostFaults else { return false }
        faults.append(fault)
        note(.fault, fault.kind.rawValue, detail: fault.kind.summary, payment: fault.payment)
        return true
    }

    /// Opens a stream of events.
    func stream(after number: Int?) -> SandboxStream? { homeLedger.stream(after: number) }
}

// MARK: - Visits

/// The answers to a person with a browser. A program gets others.
extension SandboxHome {
    /// Replaces the services' refusal of an unknown path, which is for programs, by a page if a person asks.
    func missing(_ request: HTTPRequest, _ answer: SandboxAnswer) -> SandboxAnswer {
        guard Self.isVisit(request), case .response(let response) = answer, response.status == 404,
            response.headers["Content-Type"]?.hasPrefix("text/html") != true
        else { return answer }
        return .response(problem("Nothing is at this address.", status: 404, random.hex(32)))
    }

    /// True if a browser asks for a page, and no program for an answer.
    static func isVisit(_ request: HTTPRequest) -> Bool {
        request.method.isSafe && request.headers["Accept"]?.contains("text/html") == true
    }
}

// MARK: - Access

/// The rules of access to the sandbox. Programs on this machine may do everything. Pages of other sites, in a browser
/// on this machine, may do nothing. The server itself refuses other names than its own (``LoopbackServer``).
enum HomeGuard {
    /// The origin of a page on this machine that calls another address than its own and needs permission (CORS).
    private static func foreignOrigin(of request: HTTPRequest) -> String? {
        guard let origin = request.headers["Origin"], origin != request.url.origin, isLoopback(origin) else {
            return nil
        }
        return origin
    }

    /// True if a request comes from a page of another site and could change something.
    static func isForged(_ request: HTTPRequest) -> Bool {
        guard !request.method.isSafe else { return false }
        let site = request.headers["Sec-Fetch-Site"]
        if site == "cross-site" { return true }
        switch request.headers["Origin"] {
        // Not from a page: browsers always state the origin of such a request.
        case nil: return false
        // A page that hides its address. Browsers that hide it also state whether the page is one of the home's.
        case "null": return site != "same-origin"
        case let origin?: return origin != request.url.origin && !isLoopback(origin)
        }
    }

    /// True if the request comes from a page of the home itself or from a program.
    static func isOwn(_ request: HTTPRequest) -> Bool {
        !isForged(request) && foreignOrigin(of: request) == nil
    }

    /// Returns the response to a preflight request, a browser's question for permission (Fetch, section 3.2).
    static func leave(for request: HTTPRequest) -> HTTPResponse? {
        guard request.method.rawValue == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil else {
            return nil
        }
        guard foreignOrigin(of: request) != nil else { return HTTPResponse(status: 403) }
        var response = HTTPResponse(
            status: 204,
            headers: [
                "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
                "Access-Control-Max-Age": "600",
            ])
        if let names = request.headers["Access-Control-Request-Headers"], isHeaderList(names) {
            response.headers["Access-Control-Allow-Headers"] = names
        }
        return response
    }

    /// Returns the answer with the permission for the page that has sent the request, if it needs one.
    static func allowing(_ request: HTTPRequest, _ answer: SandboxAnswer) -> SandboxAnswer {
        guard let origin = foreignOrigin(of: request) else { return answer }
        func allowed(_ response: HTTPResponse) -> HTTPResponse {
            var response = response
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
            return response
        }
        return switch answer {
        case .response(let response): .response(allowed(response))
        case .stream(let response, let stream): .stream(allowed(response), stream)
        default: answer
        }
    }

    private static func isLoopback(_ origin: String) -> Bool {
        guard let url = try? HTTPURL(origin), url.origin == origin else { return false }
        return url.isLoopback
    }

    private static func isHeaderList(_ text: String) -> Bool {
        text.utf8.count <= 1000
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_, ".utf8.contains($0) }
    }

    static let refusal = HTTPResponse(
        status: 403, headers: ["Content-Type": "text/plain; charset=utf-8"],
        body: Array(
            "This request comes from a page of another site. The sandbox answers programs of this machine.\n".utf8))
}
