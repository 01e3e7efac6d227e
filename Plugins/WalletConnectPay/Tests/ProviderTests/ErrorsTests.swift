import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The error of each failure, call by call (Protocol 3).
@Suite struct ErrorsTests {
    enum Call: String, CaseIterable, Sendable { case options, fetch, confirm, poll, status, cancel }

    /// The name of the case that `call` throws when the service answers it with `answer`.
    static func error(_ call: Call, _ answer: ScriptedService.Answer) async throws -> (name: String, error: any Error) {
        let verb = call == .poll ? "status" : call.rawValue
        // While a confirmation's result is open, the payment still waits for it.
        var script: [String: [ScriptedService.Answer]] = [
            "status": [.ok(Script.status("requires_action", isFinal: false))]
        ]
        if call == .poll { script["confirm"] = [.ok(Script.status("processing", isFinal: false))] }
        script[verb] = [answer]
        let world = try ClientWorld(script)
        do {
            switch call {
            case .options: _ = try await world.options()
            case .fetch: _ = try await world.client.getRequiredPaymentActions(paymentId: "p", optionId: "o")
            case .confirm, .poll:
                _ = try await world.client.confirmPayment(paymentId: "p", optionId: "o", signatures: ["s"])
            case .status: _ = try await world.client.getPaymentStatus(paymentId: "p")
            case .cancel: _ = try await world.client.cancelPayment(paymentId: "p")
            }
            return ("none", CancellationError())
        } catch {
            return (Mirror(reflecting: error).children.first?.label ?? "\(error)", error)
        }
    }

    // MARK: By status

    /// options, fetch, confirm, poll, status, cancel
    static let byStatus: [(Int, [String])] = [
        (400, ["invalidRequest", "http", "invalidOption", "http", "http", "api"]),
        (401, ["http", "http", "http", "http", "http", "api"]),
        (403, ["http", "http", "http", "http", "http", "api"]),
        (404, ["paymentNotFound", "http", "paymentNotFound", "http", "paymentNotFound", "api"]),
        (409, ["http", "http", "routeExpired", "http", "http", "api"]),
        (410, ["paymentExpired", "http", "paymentExpired", "http", "http", "api"]),
        (422, ["invalidAccount", "http", "invalidSignature", "http", "http", "api"]),
        (429, ["http", "http", "http", "http", "rateLimited", "rateLimited"]),
        (451, ["complianceFailed", "http", "http", "http", "http", "api"]),
        (500, ["http", "http", "http", "http", "http", "http"]),
        (503, ["http", "http", "http", "http", "http", "http"]),
        (302, ["http", "http", "http", "http", "http", "http"]),
        (204, ["http", "http", "http", "http", "http", "http"]),
    ]

    @Test("Each status becomes the right error", arguments: byStatus)
    func mapsStatuses(_ status: Int, _ expected: [String]) async throws {
        for (call, name) in zip(Call.allCases, expected) {
            // A body without a code, with an unknown one, and no body.
            for body in ["", "<html>", Script.error("brand_new_code"), #"{"code":7}"#] {
                let (found, error) = try await Self.error(call, .json(status, body))
                #expect(found == name, "\(call) \(status) \(body)")
                #expect("\(error)".contains("\(status)"), "\(error)")
                if body.contains("brand_new_code") { #expect("\(error)".contains("brand_new_code"), "\(error)") }
            }
        }
    }

    // MARK: By code

    static let byCode: [(String, [String])] = [
        (
            "payment_not_found",
            ["paymentNotFound", "paymentNotFound", "paymentNotFound", "http", "paymentNotFound", "api"]
        ),
        ("payment_expired", ["paymentExpired", "http", "paymentExpired", "http", "http", "api"]),
        ("quote_expired", ["invalidRequest", "http", "routeExpired", "http", "http", "api"]),
        ("sanctioned_user", ["complianceFailed", "http", "http", "http", "http", "api"]),
        ("rate_limited", ["http", "http", "http", "http", "rateLimited", "rateLimited"]),
        ("internal_error", ["internalError", "http", "http", "http", "http", "api"]),
        ("invalid_state", ["invalidRequest", "http", "invalidOption", "http", "http", "api"]),
        ("params_validation", ["invalidRequest", "http", "invalidOption", "http", "http", "api"]),
    ]

    @Test("The code outranks the status", arguments: byCode)
    func prefersTheCode(_ code: String, _ expected: [String]) async throws {
        for (call, name) in zip(Call.allCases, expected) {
            let (found, error) = try await Self.error(call, .json(400, Script.error(code)))
            #expect(found == name, "\(call) \(code)")
            #expect("\(error)".contains(code))
        }
    }

    @Test("Recorded bodies become the right errors")
    func recordedBodies() async throws {
        let cases: [(Call, Int, String, String)] = [
            (.options, 404, Script.error("payment_not_found", "Payment not found"), "paymentNotFound"),
            (.options, 410, Script.error("invalid_state", "Payment expired"), "paymentExpired"),
            (.options, 429, Script.error("rate_limited", "Too many requests"), "http"),
            (.fetch, 500, "", "http"),
            (.fetch, 400, Script.error("params_validation", "Validation error: Option not found"), "optionNotFound"),
            (.fetch, 400, Script.error("params_validation", "IC data required but not found"), "http"),
            (.confirm, 400, Script.error("params_validation", "Next result not present"), "invalidOption"),
            (.confirm, 422, Script.error("invalid_params", "Invalid signature"), "invalidSignature"),
            // The code counts, with any status.
            (.confirm, 409, Script.error("quote_expired"), "routeExpired"),
            (.confirm, 451, Script.error("payment_not_found"), "paymentNotFound"),
        ]
        for (call, status, body, name) in cases {
            #expect(try await Self.error(call, .json(status, body)).name == name, "\(call) \(body)")
        }
        let early = try await Self.error(
            .fetch, .json(400, Script.error("params_validation", "IC data required but not found")))
        #expect("\(early.error)".contains("data about the payer"))
    }

    @Test("Foreign texts are never shown")
    func foreignTextsAreNeverShown() async throws {
        for body in [
            Script.error("params_validation", "canary"), Script.error("canary canary"), #"{"error":"canary"}"#,
            Script.error("canary-" + String(repeating: "x", count: 100)), "canary",
        ] {
            for call in Call.allCases {
                for status in [400, 500, 200] {
                    let (_, error) = try await Self.error(call, .json(status, body))
                    let text = shown(error) + error.localizedDescription
                    #expect(!text.contains("canary"), "\(call) \(status) \(text)")
                }
            }
        }
    }

    // MARK: The network

    static let network: [(TransportError.Reason, String)] = [
        (.hostNotFound, "noConnection"), (.connectFailed("Connection refused"), "connectionFailed"),
        (.connectFailed("actively refused"), "connectionFailed"), (.connectFailed("no route to host"), "noConnection"),
        (.timedOut, "requestTimeout"), (.connectionLost("reset by peer"), "noConnection"),
        (.tls("certificate has expired"), "connectionFailed"), (.responseTooLarge(limit: 1), "http"),
        (.malformedResponse("x"), "http"), (.invalidRequest("x"), "http"), (.hostNotDeclared("x"), "http"),
    ]

    @Test("Failures of the network become errors that say which", arguments: network)
    func mapsTransportFailures(_ reason: TransportError.Reason, _ name: String) async throws {
        for phase in [TransportError.Phase.notSent, .maybeSent] {
            for call in Call.allCases {
                let (found, error) = try await Self.error(call, .failure(phase, reason))
                // The guides have one case for all of them; the text names the error.
                #expect(found == ([.status, .cancel].contains(call) ? name : "http"), "\(call)")
                let failure = TransportError(phase, reason, origin: "https://api.pay.walletconnect.com")
                #expect("\(error)".contains(failure.description), "\(call) \(error)")
                // After a confirmation the message asks for the status; no message asks to pay again.
                let asksForStatus = "\(error)".contains("ask getPaymentStatus")
                #expect(asksForStatus == (call == .poll || call == .confirm && phase == .maybeSent), "\(error)")
            }
        }
    }

    @Test("A cancelled task ends quietly only where no money may move")
    func cancellation() async throws {
        for call in Call.allCases {
            for phase in [TransportError.Phase.notSent, .maybeSent] {
                let (name, error) = try await Self.error(call, .failure(phase, .cancelled))
                if call == .poll || call == .confirm && phase == .maybeSent {
                    // Not a silent end: money may move.
                    #expect(name == "http" && "\(error)".contains("ask getPaymentStatus"), "\(error)")
                } else {
                    #expect(error is CancellationError, "\(call) \(error)")
                }
            }
        }
    }

    // MARK: Texts

    @Test("Every case has a headline and its text")
    func everyCaseHasAHeadlineAndItsText() {
        let options: [(GetPaymentOptionsError, String)] = [
            (.paymentNotFound("x"), "Payment not found"), (.paymentExpired("x"), "Payment expired"),
            (.invalidRequest("x"), "Invalid request"), (.invalidAccount("x"), "Invalid account"),
            (.complianceFailed("x"), "Compliance failed"), (.http("x"), "HTTP error"),
            (.internalError("x"), "Internal error"),
        ]
        let request: [(GetPaymentRequestError, String)] = [
            (.optionNotFound("x"), "Option not found"), (.paymentNotFound("x"), "Payment not found"),
            (.invalidAccount("x"), "Invalid account"), (.http("x"), "HTTP error"),
        ]
        let confirm: [(ConfirmPaymentError, String)] = [
            (.paymentNotFound("x"), "Payment not found"), (.paymentExpired("x"), "Payment expired"),
            (.invalidOption("x"), "Invalid option"), (.invalidSignature("x"), "Invalid signature"),
            (.routeExpired("x"), "Route expired"), (.http("x"), "HTTP error"),
        ]
        let status: [(GetPaymentStatusError, String)] = [
            (.paymentNotFound("x"), "Payment not found"), (.noConnection("x"), "No network connection"),
            (.requestTimeout("x"), "Request timed out"), (.connectionFailed("x"), "Connection failed"),
            (.rateLimited("x"), "Rate limited"), (.http("x"), "HTTP error"),
        ]
        let pay: [(PayError, String)] = [
            (.noConnection("x"), "No network connection"), (.requestTimeout("x"), "Request timed out"),
            (.connectionFailed("x"), "Connection failed"), (.rateLimited("x"), "Rate limited"),
            (.http("x"), "HTTP error"), (.api("x"), "API error"),
        ]
        let config: [(ConfigError, String)] = [(.missingAuth("x"), "Missing authentication")]
        let all: [(any Error & LocalizedError, String)] =
            options.map { ($0, $1) } + request.map { ($0, $1) } + confirm.map { ($0, $1) } + status.map { ($0, $1) }
            + pay.map { ($0, $1) } + config.map { ($0, $1) }
        for (error, headline) in all {
            #expect("\(error)" == "\(headline): x")
            #expect(error.errorDescription == "\(headline): x")
            #expect(error.localizedDescription == "\(headline): x")
        }
        #expect("\(PayError.timeout)" == "Timeout")
    }
}
