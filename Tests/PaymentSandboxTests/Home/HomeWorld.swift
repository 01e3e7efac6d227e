import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import TestSupport

@testable import PaymentSandbox

/// A home with all three services behind it, and a desk that makes no effort.
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
        let (pay, citcon, payrails) = (pay, citcon, payrails)
        home = SandboxHome(
            [
                Listed(
                    id: "walletconnect-pay", office: pay,
                    scenarios: WalletConnectPaySandbox.Scenario.allCases.map(\.rawValue)
                ) {
                    await pay.ledger
                } making: { name, _, _ in
                    guard let scenario = WalletConnectPaySandbox.Scenario(rawValue: name) else { return nil }
                    let made = await pay.createPayment(scenario)
                    return SandboxPayment(id: made.id, scenario: name, summary: "x", link: made.link)
                },
                Listed(id: "citcon", office: citcon, scenarios: CitconSandbox.Scenario.allCases.map(\.rawValue)) {
                    await citcon.ledger
                } making: { name, _, _ in
                    guard let scenario = CitconSandbox.Scenario(rawValue: name) else { return nil }
                    let made = await citcon.createCharge(scenario)
                    return SandboxPayment(id: made.id, scenario: name, summary: "x", link: made.link)
                },
                Listed(id: "payrails", office: payrails, scenarios: PayrailsSandbox.Scenario.allCases.map(\.rawValue)) {
                    await payrails.ledger
                } making: { name, amount, base in
                    guard let scenario = PayrailsSandbox.Scenario(rawValue: name) else { return nil }
                    let made = await payrails.createSession(scenario, amount: amount, base: base)
                    return SandboxPayment(id: made.id, scenario: name, summary: "x", link: made.link, isTrusted: false)
                },
            ],
            behind: SharedAddress([
                .init(pay, paths: WalletConnectPaySandbox.paths), .init(citcon, paths: CitconSandbox.paths),
                .init(PayrailsCheckout(payrails, clock: clock), paths: PayrailsSandbox.paths),
            ]), desk: Desk(), clock: clock)
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

    struct Listed: ListedService {
        let id: String
        var title: String { "Service \(id)" }
        var hint: String? { "its key is <b>" }
        let office: (any BackOffice)?
        var takesAmounts: Bool { id != "citcon" }
        let names: [String]
        let reading: @Sendable () async -> SandboxLedger
        let making: @Sendable (String, Money?, HTTPURL) async -> SandboxPayment?

        init(
            id: String, office: any BackOffice, scenarios: [String],
            reading: @escaping @Sendable () async -> SandboxLedger,
            making: @escaping @Sendable (String, Money?, HTTPURL) async -> SandboxPayment?
        ) {
            self.id = id
            self.office = office
            names = scenarios
            self.reading = reading
            self.making = making
        }

        var scenarios: [ListedScenario] { names.map { ListedScenario(name: $0, summary: "x", group: "All") } }
        var ledger: SandboxLedger { get async { await reading() } }
        func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
            await making(scenario, amount, base)
        }
    }

    struct Desk: SandboxDesk {
        func read(_ text: String) -> TextReading {
            var reading = TextReading()
            reading.shown = text
            reading.decision = "unroutable"
            reading.fields = [("text", text)]
            return reading
        }
        func texts(in picture: [UInt8]) throws(PictureProblem) -> [String] {
            guard picture != [0] else { throw PictureProblem("There is <b>no code</b> in it.") }
            return [String(decoding: picture, as: UTF8.self), "another"]
        }
        func picture(of text: String) -> String? { "<svg><title>code</title></svg>" }
        func pay(
            _ payment: SandboxPayment, at base: HTTPURL, tell: @escaping @Sendable (String, String) -> Void
        ) async -> PaidReport {
            tell("step", "looks at \(payment.id)")
            return PaidReport(outcome: "succeeded", reason: "<i>paid</i>", journal: ["one entry"])
        }
    }
}
