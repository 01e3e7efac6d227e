import PaymentCore
import PaymentRouting
import PaymentSimulation
import PaymentTesting

/// A mistake of a server that is planted around `payroute serve`.
enum ServeMistake: String, Sendable, CaseIterable {
    case losesTable = "a server loses the store of its callers' keys"
    case failsQuestions = "a server calls a payment failed whose outcome it could not learn"
    case cancelsUnasked = "a server calls a payment cancelled that its router does not"
    case keysAnew = "a server takes every repetition for a new request"
    case dropsTerms = "a server drops the limits of a request"
    case believesAnswers = "a server takes the answer to a question for the end of the payment"
    case forgetsEnds = "a server reports an ended payment as interrupted when it runs again"

    /// Words that its breach contains.
    var symptom: String {
        switch self {
        case .losesTable, .keysAnew: "and for pay_"
        case .failsQuestions, .cancelsUnasked: "but money moved"
        case .dropsTerms: "was not shown for it"
        case .believesAnswers: "but it is not paid"
        case .forgetsEnds: "and is interrupted"
        }
    }

    /// The histories with it.
    var variation: Variation {
        var variation = Variation.served
        variation.faces = { FaultyFaces(mistake: self) }
        return variation
    }
}

/// The interfaces of a history, with a mistake.
private struct FaultyFaces: PaymentFaces {
    let mistake: ServeMistake
    private let base: ServedRecords

    init(mistake: ServeMistake) {
        self.mistake = mistake
        base = ServedRecords(isLost: mistake == .losesTable)
    }

    func open(
        over router: PaymentRouter, in process: SimulatedProcess, wallet: Payer?
    ) async throws -> any PaymentFace {
        FaultyFace(
            base: try await base.open(over: router, in: process, wallet: wallet), mistake: mistake,
            isFirst: process.number == 1, random: process.random)
    }
}

private struct FaultyFace: PaymentFace {
    let base: any PaymentFace
    let mistake: ServeMistake
    let isFirst: Bool
    let random: any RandomSource

    func drain(within bound: Duration) async { await base.drain(within: bound) }
    func stop() async { await base.stop() }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        let isBegin = request.method == .post && path == ["v1", "payments"]
        switch mistake {
        case .losesTable: return await base.answer(request)
        case .keysAnew where isBegin:
            var copy = request
            copy.headers["Idempotency-Key"] = (request.headers["Idempotency-Key"] ?? "") + random.hex(8)
            return await base.answer(copy)
        case .dropsTerms where isBegin: return await base.answer(Self.generous(request))
        case .failsQuestions:
            return change(await base.answer(request)) { view in
                guard view["outcome"]?["outcome"] == "unknown", view["outcome"]?["error"] != .null else { return }
                Self.end(&view, as: "failed")
            }
        case .cancelsUnasked where path.last == "cancel":
            let response = await base.answer(request)
            guard response.status == 409, let url = try? HTTPURL("http://127.0.0.1:1/v1/payments/\(path[2])") else {
                return response
            }
            let look = HTTPRequest(.get, url, headers: request.headers)
            return change(await base.answer(look)) { if $0["state"] != "ended" { Self.end(&$0, as: "cancelled") } }
        case .believesAnswers where path.contains("actions"):
            return change(await base.answer(request)) { if $0["state"] != "ended" { Self.end(&$0, as: "succeeded") } }
        case .forgetsEnds where !isFirst:
            return change(await base.answer(request)) { view in
                if view["state"] == "ended" { (view["state"], view["outcome"]) = ("interrupted", .null) }
            }
        default: return await base.answer(request)
        }
    }

    private static func end(_ view: inout JSONValue, as outcome: String) {
        view["state"] = "ended"
        view["outcome"] = [
            "outcome": .string(outcome), "askAgain": false, "reason": "", "error": .null, "amount": .null,
            "transaction": .null, "unit": .null,
        ]
    }

    /// Returns the request with limits that allow anything.
    private static func generous(_ request: HTTPRequest) -> HTTPRequest {
        guard var body = try? JSONValue(parsing: request.body), body["limits"] != nil else { return request }
        body["limits"] = [["amount": "1000.00", "unit": "iso4217/EUR"], ["amount": "1.00000000", "unit": "BTC"]]
        return HTTPRequest(request.method, request.url, headers: request.headers, body: body.serialized())
    }

    private func change(_ response: HTTPResponse, _ change: (inout JSONValue) -> Void) -> HTTPResponse {
        guard (200..<300).contains(response.status), var view = try? JSONValue(parsing: response.body) else {
            return response
        }
        change(&view)
        return HTTPResponse(status: response.status, headers: response.headers, body: view.serialized())
    }
}
