import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PayrailsSandbox
import SandboxSupport
import TestSupport
import WalletConnectPaySandbox

@testable import SandboxHome

/// A home with all three services behind it, and actions without side effects.
struct HomeWorld: Sendable {
    let pay: WalletConnectPaySandbox
    let citcon: CitconSandbox
    let payrails: PayrailsSandbox
    let clock: SandboxClock
    let home: SandboxHome
    let base = "http://127.0.0.1:8080"

    init(notifications: (any HTTPTransport)? = nil) {
        clock = SandboxClock(SystemPaymentClock())
        pay = WalletConnectPaySandbox(clock: clock)
        var configuration = CitconSandbox.Configuration()
        configuration.notifications = notifications
        citcon = CitconSandbox(configuration, clock: clock)
        payrails = PayrailsSandbox(clock: clock)
        let services: [any ListedService] = [pay, citcon, payrails]
        home = SandboxHome(services.map(Listed.init), actions: Actions(), clock: clock)
    }

    // MARK: Asking

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPHeaders = [:], body: String = ""
    ) async throws -> HTTPResponse {
        guard
            case .response(let response) = await home.answer(
                to: HTTPRequest(method, try HTTPURL(base + path), headers: headers, body: Array(body.utf8)))
        else { return HTTPResponse(status: 0) }
        return response
    }

    /// A call of the interface for programs.
    func call(_ path: String, _ body: JSONValue) async throws -> (status: Int, json: JSONValue) {
        let answer = try await send(
            .post, "/_sandbox/" + path, ["Content-Type": "application/json"],
            body: String(decoding: body.serialized(), as: UTF8.self))
        return (answer.status, try JSONValue(parsing: answer.body))
    }

    /// A form of the home's own pages, as a browser sends it.
    func submit(_ path: String, _ items: KeyValuePairs<String, String>) async throws -> HTTPResponse {
        let body = items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
        return try await send(
            .post, path,
            ["Content-Type": "application/x-www-form-urlencoded", "Origin": base, "Sec-Fetch-Site": "same-origin"],
            body: body)
    }

    func json(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(.get, "/_sandbox/" + path).body)
    }

    // MARK: Parts

    /// A service with a name and a hint that do not fit into a page as they are.
    struct Listed: ListedService {
        let base: any ListedService
        var id: String { base.id }
        var title: String { "Service \(id)" }
        var hint: String? { "its key is <b>" }
        var currency: String? { id == "citcon" ? nil : base.currency }
        var examples: [ListedExample] { base.examples }
        var scenarios: [SimulatedScenario] {
            base.scenarios.map { SimulatedScenario($0.name, "x", ending: $0.ending, group: "All") }
        }
        var ledger: SandboxLedger { get async { await base.ledger } }

        init(_ base: any ListedService) { self.base = base }

        func routes() -> [SharedAddress.Tenant] { base.routes() }
        func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
            await self.base.make(scenario, amount: amount, at: base)
        }
        func payment(named word: String) async -> String? { await base.payment(named: word) }
        func facts(of payment: String) async -> ListedFacts { await base.facts(of: payment) }
        func pages(of payment: String) async -> [ListedPage] { await base.pages(of: payment) }
        func notifications(from index: Int) async -> [SentNotification]? { await base.notifications(from: index) }
        func notifyAgain(about payment: String) async -> SentNotification? { await base.notifyAgain(about: payment) }
        func expire() async { await base.expire() }
    }

    struct Actions: SandboxActions {
        let program: String? = "payroute"
        func read(_ text: String) -> TextReading {
            var reading = TextReading()
            reading.shown = text
            reading.decision = "unroutable"
            reading.fields = [("text", text)]
            return reading
        }
        func texts(in picture: [UInt8]) throws(PictureError) -> [String] {
            guard picture != [0] else { throw PictureError("There is <b>no code</b> in it.") }
            return [String(decoding: picture, as: UTF8.self), "another"]
        }
        func picture(of text: String) -> String? { "<svg><title>code</title></svg>" }
        func pay(
            _ payment: SandboxPayment, at base: HTTPURL, onStep: @escaping @Sendable (String, String) -> Void
        ) async -> PaidReport {
            onStep("step", "looks at \(payment.id)")
            return PaidReport(outcome: "succeeded", reason: "<i>paid</i>", journal: ["one entry"])
        }
    }
}
