package import PaymentCore
package import PaymentLoopback
package import PaymentTesting

/// The service of a vendor that is described by its `SimulatedVendor` alone, listed like any other.
///
/// Each of its hosts answers below its name: `/api.tea.example/orders/7` is what `https://api.tea.example/orders/7` is
/// for the provider. Its ledger follows from the service's records of the payments that were made here.
package actor DescribedService: ListedService {
    package nonisolated let id: String
    package nonisolated let title: String
    private let vendor: any SimulatedVendor
    private var payments: [String: (scenario: SimulatedScenario, payment: any SimulatedPayment)] = [:]
    private var records = SandboxLedger()

    /// Creates the service of a vendor. Its first service names it.
    package init(_ vendor: any SimulatedVendor) {
        self.vendor = vendor
        let descriptor = vendor.services.first?.descriptor
        (id, title) = (descriptor?.id.rawValue ?? "vendor", descriptor?.name ?? "Vendor")
    }

    package nonisolated var scenarios: [SimulatedScenario] { vendor.scenarios }
    package nonisolated var currency: String? { nil }

    package nonisolated func routes() -> [SharedAddress.Tenant] {
        vendor.hosts.map { host, service in
            let moved = MovedService(service, at: "https://\(host)") { path in
                path.firstRange(of: host).map { String(path[$0.upperBound...]) } ?? path
            }
            return .init(moved, paths: ["/\(host)"])
        }
    }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = scenarios.first(where: { $0.name == scenario }),
            let payment = try? await vendor.makePayment(scenario, over: amount), let link = payment.links.first
        else { return nil }
        let id = vendor.id(of: payment.reference.id)
        if payments.updateValue((scenario, payment), forKey: id) == nil { records.record(.created, of: id) }
        return SandboxPayment(id: id, scenario: scenario.name, summary: scenario.summary, link: link)
    }

    package func payment(named word: String) -> String? {
        let id = vendor.id(of: word)
        return payments[id] == nil ? nil : id
    }

    package func facts(of payment: String) -> ListedFacts { ListedFacts(amount: payments[payment]?.payment.price) }

    package func pages(of payment: String) -> [ListedPage] { [] }

    package var ledger: SandboxLedger {
        get async {
            for (id, made) in payments.sorted(by: { $0.key < $1.key }) {
                note(await made.payment.truth(), of: id, price: made.payment.price, made.scenario.ending)
            }
            return records
        }
    }

    /// Records the events that explain what is new in the truth about a payment.
    private func note(
        _ truth: PaymentTruth, of id: String, price: Money?, _ ending: SimulatedScenario.Ending
    ) {
        let known = records.events(of: id)
        let unit = (price ?? truth.amounts.first)?.currency.unit
        func words(_ amount: UInt128?) -> String {
            ([amount.map { "\($0)" }, unit] as [String?]).compactMap(\.self).joined(separator: " ")
        }
        func count(_ isCounted: (SandboxLedger.Event) -> Bool) -> Int { known.filter(isCounted).count }
        for amount in truth.taken.dropFirst(records.captures(of: id)) {
            records.record(
                .captured(option: "the payer", amount: words(amount), account: "an account"), of: id)
        }
        if truth.isPaid, truth.taken.isEmpty, ending == .authorized {
            let event = SandboxLedger.Event.authorized(option: "the payer", amount: words(price?.minorUnits))
            if !known.contains(event) { records.record(event, of: id) }
        } else if truth.isPaid, !known.contains(.settled) {
            records.record(.settled, of: id)
        }
        for amount in truth.refunded.dropFirst(count { if case .refunded = $0 { true } else { false } }) {
            records.record(.refunded(amount: words(amount)), of: id)
        }
        for _ in 0..<max(0, truth.cancellations - count { $0 == .cancelled }) { records.record(.cancelled, of: id) }
        if truth.isReturned, !known.contains(.failed) { records.record(.failed, of: id) }
    }
}

/// A service at another address than its own.
package struct MovedService: SandboxService {
    private let service: any SandboxService
    private let origin: String
    private let path: @Sendable (String) -> String

    /// Creates a service that gets each request as if it had come to `origin`.
    ///
    /// - Parameter path: Returns the path there, for that of the request.
    package init(
        _ service: any SandboxService, at origin: String, path: @escaping @Sendable (_ path: String) -> String
    ) {
        (self.service, self.origin, self.path) = (service, origin, path)
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let moved = moved(request) else { return HTTPResponse(status: 404) }
        return await service.respond(to: moved)
    }

    package func answer(to request: HTTPRequest) async -> SandboxAnswer {
        guard let moved = moved(request) else { return .response(HTTPResponse(status: 404)) }
        return await service.answer(to: moved)
    }

    private func moved(_ request: HTTPRequest) -> HTTPRequest? {
        let query = request.url.query.map { "?" + $0 } ?? ""
        guard let url = try? HTTPURL(origin + path(request.url.path) + query) else { return nil }
        var request = request
        request.url = url
        return request
    }
}
