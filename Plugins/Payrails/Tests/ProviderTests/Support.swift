import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport

@testable import PayrailsKit
@testable import PayrailsProvider

/// Secrets that must not appear anywhere.
enum Canary {
    static let token = "token-canary-51f0"
    static let pan = "4111111111111111"
    static let securityCode = "737"
    static let email = "canary@example.com"
}

/// Init data in a merchant's server.
enum Sample {
    static let host = "https://api-pub.payrails.io"
    static let execution = host + "/public/merchant/workflows/payment-acceptance/executions/e1"
    static let key = """
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAspNX8a1jqF+gD5ghiB6aeddPlY6yyw4BIIMBRuxgKryG\
        G9r1O67SOVOHjPQnfJbrzzDcH8Ie4MUAUAs/ttqzy8KOsKdkJ/yjgPhOpSw7VSxfFqPDcBajeCKpcKM+wmQQLjo+\
        wg17+ubsdKbnRP9ODk0kdYLI5InM69XbG60y2/OctRa3+oJiWduNpWkmQNrDLBijKOuzaXaK5x/4Nau8NC7gdKZ8\
        YZE39DeCwNqNTFxpGxDs5NA10a8T1SH0E5vhgwfhRaDsB0EL5qUPrkND2OdIQu7vtt+JxG8tfS8uZ2+KiwI9P8JE\
        /pjmAOnPeCbePSwKpKjpQl8Npbs/U991QwIDAQAB
        """

    static func payload(token: String = Canary.token) -> JSONValue {
        [
            "token": .string(token), "holderReference": "holder-1", "amount": ["value": "99.00", "currency": "EUR"],
            "vaultConfiguration": [
                "providerConfigId": "pc-1", "encryptionPublicKey": .string(key),
                "links": ["saveInstrument": ["method": "POST", "href": .string(host + "/public/payment/instruments")]],
            ],
            "links": [
                "instrumentDelete": [
                    "method": "DELETE", "href": .string(host + "/public/payment/instruments/:instrumentId"),
                ],
                "instrumentUpdate": [
                    "method": "PATCH", "href": .string(host + "/public/payment/instruments/:instrumentId"),
                ],
            ],
            "execution": [
                "id": "e1", "status": [["code": "created", "time": "2026-01-01T00:00:00.000000000Z"]],
                "createdAt": "2026-01-01T00:00:00Z", "merchantReference": "m1", "holderReference": "holder-1",
                "holderId": "h1", "workflow": ["code": "payment-acceptance", "version": 56],
                "links": ["self": .string(execution)],
                "initialResults": [
                    [
                        "httpCode": 200,
                        "body": [
                            "name": "lookup", "actionId": "a1", "executedAt": "2026-01-01T00:00:00Z",
                            "data": ["paymentCompositionOptions": options],
                            "links": [
                                "execution": .string(execution),
                                "authorize": ["method": "POST", "href": .string(execution + "/authorize")],
                            ],
                        ],
                    ]
                ],
            ],
        ]
    }

    private static let options: JSONValue = [
        ["integrationType": "adyenDropIn"],
        [
            "integrationType": "api", "paymentMethodCode": "card",
            "clientConfig": ["displayName": "Card", "flow": "embedded", "supportsSaveInstrument": true],
            "paymentInstruments": [
                [
                    "id": "i1", "createdAt": "2026-01-01T00:00:00Z", "status": "enabled", "paymentMethod": "card",
                    "default": true, "data": ["bin": "411111", "suffix": "1111"],
                ],
                ["id": "i3", "createdAt": "x", "status": "disabled"], ["createdAt": "no id"],
                ["id": "i4", "createdAt": "x", "status": "Created", "data": ["suffix": "4444"]],
            ],
        ],
        [
            "integrationType": "api", "paymentMethodCode": "payPal", "config": ["clientId": "c", "merchantId": "m"],
            "paymentInstruments": [
                [
                    "id": "i2", "paymentMethod": "payPal", "holderId": "h1", "createdAt": "2026-01-01T00:00:00Z",
                    "status": "enabled", "data": ["email": .string(Canary.email)],
                ]
            ],
        ],
        ["integrationType": "api", "paymentMethodCode": "applePay"],
        [
            "integrationType": "hpp", "paymentMethodCode": "ideal",
            "clientConfig": ["displayName": "iDEAL", "flow": "redirect"],
        ],
        ["integrationType": "api", "paymentMethodCode": "somethingElse"],
    ]

    /// The session as a link, and its payment.
    static let link = SessionLink.link(to: initData()).reveal()
    static let payment = PaymentReference(provider: PayrailsProvider.id, id: "e1")

    /// A router over the provider alone, whose application knows the session.
    ///
    /// - Parameter link: the link of the known session; nil for none.
    static func router(
        _ transport: any HTTPTransport, _ journal: any PaymentJournal = InMemoryJournal(),
        knowing link: String? = nil, clock: any PaymentClock = VirtualClock(), log: PaymentLog = .silent
    ) throws -> PaymentRouter {
        try PaymentRouter(
            PayrailsProvider(), over: transport, journal: journal, clock: clock,
            secrets: Secrets(values: link.map { ["payrails.session.e1": $0] } ?? [:]), log: log)
    }

    static func initData(_ payload: JSONValue = payload()) -> Payrails.InitData {
        Payrails.InitData(version: "1.0.0", data: Data(payload.serialized()).base64EncodedString())
    }

    /// Seconds of a minute, as in the recorded histories.
    static func status(_ entries: [(code: String, second: String)], action: String? = nil, links: JSONValue = [:])
        -> JSONValue
    {
        var body: JSONValue = [
            "id": "e1", "merchantReference": "m1", "holderReference": "holder-1", "createdAt": "2026-01-01T00:00:00Z",
            "workflow": ["code": "payment-acceptance", "version": 56],
            "status": .array(
                entries.map { entry in
                    var status: JSONValue = [
                        "code": .string(entry.code), "time": .string("2026-09-23T22:33:\(entry.second)Z"),
                    ]
                    if entry.code == "authorizeFailed" {
                        status["errors"] = [
                            ["code": "workflow.action.failed", "reason": ["result": "GenericRejection"]]
                        ]
                    }
                    return status
                }),
        ]
        var all: JSONValue = ["self": .string(execution)]
        for (key, value) in links.object ?? [:] { all[key] = value }
        body["links"] = all
        if let action { body["actionRequired"] = .string(action) }
        return body
    }

    static let created = ("created", "52.456000001")
    static let requested = ("authorizeRequested", "52.859000001")
    static let failed = ("authorizeFailed", "55.541000001")
    static let pending = ("authorizePending", "57.004978732")
    static let successful = ("authorizeSuccessful", "58.000000001")

    /// The links of a payment whose payer approves it at PayPal.
    static func payPal(
        _ parameters: JSONValue = ["orderId": "EC-1"], page: String = "https://www.paypal.com/agreements/approve",
        confirm href: String = execution + "/confirm"
    ) -> JSONValue {
        [
            "confirm": [
                "method": "POST", "href": .string(href),
                "action": ["redirectUrl": .string(page), "parameters": parameters],
            ]
        ]
    }

    static let authorized: JSONValue = [
        "name": "authorize", "actionId": "a2", "executedAt": "2026-09-23T22:33:52.859Z",
        "links": ["execution": .string(execution)],
    ]
    static let envelope: JSONValue = [
        "errors": [
            [
                "id": "x", "code": "workflow.action.not-allowed", "detail": "no",
                "reason": ["result": "OperationNotAllowed"],
            ]
        ]
    ]
}

/// An answer of a scripted service.
enum Answer: Sendable {
    case json(JSONValue, Int)
    case bytes([UInt8], Int)
    case fail(TransportError.Phase, TransportError.Reason)
    /// None until the task is cancelled. It never repeats: once the script ends with it, later calls of the kind time
    /// out at once, so that a flow that goes on where it should stop fails instead of waiting.
    case silence

    static func ok(_ value: JSONValue) -> Answer { .json(value, 200) }

    /// Executions that nobody has paid, whose payment has begun, and that are paid.
    static let untouched = Answer.ok(Sample.status([Sample.created]))
    static let begun = Answer.ok(Sample.status([Sample.created, Sample.requested]))
    static let paid = Answer.ok(Sample.status([Sample.created, Sample.requested, Sample.successful]))
}

/// A service that answers by a script, each kind of call by its own; the last answer of a kind repeats, but silence.
final class ScriptedService: HTTPTransport {
    enum Call: Hashable, Sendable {
        case authorize, read, wait, confirm, delete, update, save
    }

    private struct State {
        var script: [Call: [Answer]]
        var requests: [HTTPRequest] = []
    }

    private let state: Mutex<State>

    init(_ script: [Call: [Answer]]) {
        var script = script
        script[.authorize] = script[.authorize] ?? [.json(Sample.authorized, 201)]
        state = Mutex(State(script: script))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The calls as words: `POST authorize`, `GET`, `GET wait`.
    var calls: [Call] { requests.compactMap(Self.call) }

    func count(_ call: Call) -> Int { calls.count { $0 == call } }

    static func call(_ request: HTTPRequest) -> Call? {
        switch request.method {
        case .get: request.url.query?.contains("waitWhile") == true ? .wait : .read
        case .delete: .delete
        case .patch: .update
        case .post:
            request.url.path.hasSuffix("/authorize")
                ? .authorize : request.url.path.hasSuffix("/confirm") ? .confirm : .save
        default: nil
        }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let call = Self.call(request) else {
            throw TransportError(.notSent, .invalidRequest("not scripted"), origin: request.url.origin)
        }
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            guard let answers = state.script[call], let first = answers.first else { return nil }
            if answers.count > 1 {
                state.script[call]?.removeFirst()
            } else if case .silence = first {
                state.script[call] = [.fail(.maybeSent, .timedOut)]
            }
            return first
        }
        switch answer {
        case .json(let value, let status): return HTTPResponse(status: status, body: value.serialized())
        case .bytes(let bytes, let status): return HTTPResponse(status: status, body: bytes)
        case .fail(let phase, let reason): throw TransportError(phase, reason, origin: request.url.origin)
        case .silence:
            await untilCancelled()
            throw TransportError(.maybeSent, .cancelled, origin: request.url.origin)
        case nil: throw TransportError(.notSent, .invalidRequest("no answer is scripted"), origin: request.url.origin)
        }
    }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    _ = continuation
}

/// A payer's screen with scripted answers.
@MainActor
final class Screen: PaymentPresenter {
    enum Behaviour {
        case returns(String?)
        case stays
        case fails
    }

    private let behaviour: Behaviour
    private(set) var pages: [PageRequest] = []
    private(set) var wasClosed = false

    init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    struct Broken: Error {}

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        pages.append(page)
        switch behaviour {
        case .returns(let url): return try url.map { try PaymentLink($0) }
        case .fails: throw Broken()
        case .stays:
            await untilCancelled()
            wasClosed = true
            return nil
        }
    }
}

extension PayrailsSession {
    /// A session with a scripted service.
    static func scripted(
        _ service: ScriptedService, clock: VirtualClock = VirtualClock(), payload: JSONValue = Sample.payload(),
        onSessionExpired: SessionExpiredHandler? = nil
    ) throws -> PayrailsSession {
        try PayrailsSession(
            Payrails.Configuration(initData: Sample.initData(payload)), transport: service, clock: clock,
            onSessionExpired: onSessionExpired)
    }

    var card: any StoredInstrument { StoredCardInstrument(id: "i1", bin: "411111", suffix: "1111") }
}

extension ScriptedService {
    /// Pays with the stored card, in a new session.
    func pay(_ screen: Screen? = nil) async throws -> OnPayResult {
        let session = try PayrailsSession.scripted(self)
        return await session.executePayment(withStoredInstrument: session.card, presenter: screen)
    }
}

extension OnPayResult {
    /// The case and its relevant values, for comparison.
    var word: String {
        switch self {
        case .success: "success"
        case .authorizationFailed(let failure): "authorizationFailed \(failure.code.rawValue)"
        case .failure(let failure): "failure \(failure.message)"
        case .cancelledByUser: "cancelledByUser"
        case .error(let error): "error \(error.word)"
        }
    }
}

extension PayrailsError {
    var word: String {
        switch self {
        case .authenticationError: "authenticationError"
        case .sdkNotInitialized: "sdkNotInitialized"
        case .missingData(let what): "missingData \(what ?? "")"
        case .invalidDataFormat: "invalidDataFormat"
        case .invalidCardData: "invalidCardData"
        case .unknown(let error): "unknown \(error.map { "\($0)" } ?? "nil")"
        case .unsupportedPayment(let type): "unsupportedPayment \(type.rawValue)"
        case .incorrectPaymentSetup(let type): "incorrectPaymentSetup \(type.rawValue)"
        case .pollingFailed(let why): "pollingFailed \(why)"
        case .failedToDerivePaymentStatus(let why): "failedToDerivePaymentStatus \(why)"
        case .finalStatusNotFoundAfterLongPoll: "finalStatusNotFoundAfterLongPoll"
        case .longPollingFailed(let error): "longPollingFailed \(error.map { "\($0)" } ?? "nil")"
        case .paymentPending: "pending"
        }
    }
}
