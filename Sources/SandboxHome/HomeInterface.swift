import PaymentCore
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The interface for programs: test suites in any language, `payroute sandbox tail`, and the pages' own script.
/// ``OpenAPI`` describes it, and is served by it.
extension SandboxHome {
    /// A refusal of a call of the interface.
    struct RequestError: Error {
        let status: Int
        let text: String

        static let unknownPath = RequestError(
            status: 404, text: "There is nothing at this path; see /_sandbox/openapi.json.")
        static let unknownPayment = RequestError(status: 404, text: "There is no such payment here.")
        static let wrongMethod = RequestError(status: 405, text: "This path does not know the method.")

        var response: HTTPResponse { .json(["error": .string(text)], status: status) }
    }

    func api(_ request: HTTPRequest, _ path: [String]) async -> SandboxAnswer {
        if path == ["events"], request.method == .get { return events(request) }
        do throws(RequestError) { return .response(try await call(request, path)) } catch {
            return .response(error.response)
        }
    }

    private func call(_ request: HTTPRequest, _ path: [String]) async throws(RequestError) -> HTTPResponse {
        switch (path.first, path.count) {
        case ("home.js", 1): return Self.file(HomeScript.source, "text/javascript; charset=utf-8")
        case ("openapi.json", 1): return .json(OpenAPI.document(request.url.origin))
        case ("qr.svg", 1): return try picture(request)
        case ("scenarios", 1): return .json(["services": .array(services.map(describe))])
        case ("payments", 1):
            if request.method == .post { return try await create(request) }
            try expect(.get, request)
            return .json(["payments": .array(homeLedger.newest(1000).map(describe))])
        case ("payments", 2...3): return try await payment(request, Array(path.dropFirst()))
        case ("ledger", 1): return try ledger(request)
        case ("log", 1):
            try expect(.get, request)
            return .json(["events": .array(homeLedger.events.suffix(HomeLedger.kept).map { $0.json })])
        case ("faults", 1): return try fault(request)
        case ("clock", 1): return try await setClock(request)
        case ("read", 1):
            try expect(.post, request)
            guard let text = try Self.body(request)["text"]?.string else { throw .missing("text") }
            return .json(actions.read(text).json)
        default: throw .unknownPath
        }
    }

    private func expect(_ method: HTTPRequest.Method, _ request: HTTPRequest) throws(RequestError) {
        guard request.method == method else { throw .wrongMethod }
    }

    // MARK: Payments

    private func create(_ request: HTTPRequest) async throws(RequestError) -> HTTPResponse {
        let body = try Self.body(request)
        guard let service = body["service"]?.string else { throw .missing("service") }
        guard let scenario = body["scenario"]?.string else { throw .missing("scenario") }
        let amount = try Self.money(body["amount"]?.string, body["currency"]?.string)
        guard let base = try? HTTPURL(request.url.origin),
            let payment = await make(scenario, of: service, amount: amount, at: base),
            let entry = homeLedger.entries[payment.id]
        else {
            throw RequestError(
                status: 404,
                text: "There is no such scenario of that service, or its amount is its own; see /_sandbox/scenarios.")
        }
        return .json(describe(entry), status: 201)
    }

    private func payment(_ request: HTTPRequest, _ path: [String]) async throws(RequestError) -> HTTPResponse {
        let id = path[0]
        guard let entry = homeLedger.entries[id] else { throw .unknownPayment }
        guard path.count == 2 else {
            try expect(.get, request)
            return .json(describe(entry))
        }
        try expect(.post, request)
        _ = try Self.body(request)
        switch path[1] {
        case "pay":
            guard let base = try? HTTPURL(request.url.origin), let work = pay(id, at: base) else {
                throw RequestError(status: 409, text: "Another program made this payment; it alone knows its link.")
            }
            await work.value
            return .json(homeLedger.entries[id].map(describe) ?? .null)
        case "notify":
            guard let sent = await notifyAgain(id) else {
                throw RequestError(
                    status: 409, text: "There is no notification of this payment, or no receiver for it.")
            }
            return .json(["kind": .string(sent.kind), "delivered": .bool(sent.isDelivered)])
        default: throw .unknownPath
        }
    }

    func describe(_ entry: HomeLedger.Entry) -> JSONValue {
        var json: JSONValue = [
            "id": .string(entry.id), "service": .string(entry.service),
            "events": .array(entry.words.map { .string($0.rawValue) }), "madeHere": .bool(entry.listed != nil),
            "url": .string("/ledger/" + PercentCoding.encode(entry.id)),
        ]
        if let listed = entry.listed {
            json["scenario"] = .string(listed.scenario)
            json["summary"] = .string(listed.summary)
            json["link"] = .string(listed.link)
            json["trusted"] = .bool(listed.isTrusted)
            json["private"] = .bool(listed.isPrivate)
            if let satoshi = listed.satoshi { json["satoshi"] = .number(JSONNumber(satoshi)) }
        }
        if let report = entry.report {
            json["outcome"] = .string(report.outcome)
            json["reason"] = .string(report.reason)
            json["journal"] = .array(report.journal.map { .string($0) })
        }
        return json
    }

    private func describe(_ service: any ListedService) -> JSONValue {
        [
            "service": .string(service.id), "title": .string(service.title),
            "hint": service.hint.map { .string($0) } ?? .null,
            "scenarios": .array(
                service.listed(tampered: showsTampered).map {
                    ["scenario": .string($0.name), "summary": .string($0.summary), "ending": .string($0.group)]
                }),
        ]
    }

    // MARK: What happened

    private func ledger(_ request: HTTPRequest) throws(RequestError) -> HTTPResponse {
        try expect(.get, request)
        let query = FormItems(Substring(request.url.query ?? ""))
        let entries = homeLedger.order.compactMap { homeLedger.entries[$0] }.filter { entry in
            (query["service"].map { $0 == entry.service } ?? true) && (query["payment"].map { $0 == entry.id } ?? true)
        }
        return .json([
            "ledger": .array(
                entries.map { entry in
                    [
                        "payment": .string(entry.id), "service": .string(entry.service),
                        "scenario": entry.listed.map { .string($0.scenario) } ?? .null,
                        "events": .array(entry.words.map { .string($0.rawValue) }),
                    ]
                })
        ])
    }

    /// `GET /_sandbox/events`: everything from now on, or from after `Last-Event-ID` or `?after=`, as server-sent
    /// events.
    private func events(_ request: HTTPRequest) -> SandboxAnswer {
        let query = FormItems(Substring(request.url.query ?? ""))
        let after = (request.headers["Last-Event-ID"] ?? query["after"]).flatMap { Int($0) }
        guard let stream = stream(after: after) else {
            return .response(.json(["error": "Too many streams are open."], status: 503))
        }
        let headers: HTTPHeaders = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
        return .stream(HTTPResponse(status: 200, headers: headers), stream)
    }

    private func fault(_ request: HTTPRequest) throws(RequestError) -> HTTPResponse {
        switch request.method {
        case .get: break
        case .delete: faults = []
        case .post:
            let body = try Self.body(request)
            guard let kind = body["kind"]?.string.flatMap(PlannedFault.Kind.init) else {
                let known = PlannedFault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw RequestError(status: 400, text: "The member kind must be one of \(known).")
            }
            let fault = PlannedFault(
                kind: kind, payment: body["payment"]?.string, path: body["path"]?.string,
                method: body["method"]?.string)
            guard plan(fault) else { throw RequestError(status: 409, text: "Too many faults wait for their request.") }
            return .json(fault.json, status: 201)
        default: throw .wrongMethod
        }
        return .json(["faults": .array(faults.map(\.json))])
    }

    private func setClock(_ request: HTTPRequest) async throws(RequestError) -> HTTPResponse {
        if request.method == .post {
            guard let seconds = try Self.body(request)["advance"]?.int64, (1...Self.longestAdvance).contains(seconds)
            else {
                throw RequestError(status: 400, text: "The member advance must be 1 to \(Self.longestAdvance) seconds.")
            }
            await advance(bySeconds: seconds)
        } else {
            try expect(.get, request)
        }
        return .json([
            "now": .string(RFC3339(clock.now).text), "advanced": .number(JSONNumber(clock.shift.components.seconds)),
        ])
    }

    /// The most seconds by which the clock is set forward at once: a year.
    static let longestAdvance: Int64 = 366 * 86_400

    // MARK: Parts

    private func picture(_ request: HTTPRequest) throws(RequestError) -> HTTPResponse {
        try expect(.get, request)
        let query = FormItems(Substring(request.url.query ?? ""))
        let text = query["payment"].flatMap { homeLedger.entries[$0]?.listed?.link } ?? query["text"]
        guard let text, let picture = actions.picture(of: text) else { throw .unknownPath }
        return Self.file(picture, "image/svg+xml")
    }

    private static func file(_ text: String, _ type: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": type, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache",
                "Content-Security-Policy": "default-src 'none'",
            ], body: Array(text.utf8))
    }

    /// An amount of money, or nil if none is given. Amount and currency come together.
    static func money(_ amount: String?, _ currency: String?) throws(RequestError) -> Money? {
        guard let amount, !amount.isEmpty else { return nil }
        guard let code = try? FiatCurrency(currency ?? "") else {
            throw RequestError(status: 400, text: "The currency must be a code of ISO 4217, such as EUR.")
        }
        let most = (try? Money(minorUnits: mostMinorUnits, currency: .fiat(code)))?.decimalText ?? ""
        guard let money = try? Money(decimal: amount, currency: .fiat(code)), money.minorUnits > 0,
            money.minorUnits <= mostMinorUnits
        else {
            let decimals = code.exponent == 0 ? "whole" : "with at most \(code.exponent) digits after the point"
            throw RequestError(
                status: 400,
                text: "The amount must be a number above zero, \(decimals), and at most \(most) \(code).")
        }
        return money
    }

    /// The highest amount that a payment is made over here: sums and products of it stay far below the largest number.
    private static let mostMinorUnits: UInt128 = 1_000_000_000_000

    /// The body, a JSON object. A form of another site cannot send that type without a preflight request.
    private static func body(_ request: HTTPRequest) throws(RequestError) -> JSONValue {
        guard request.mediaType == "application/json" else {
            throw RequestError(status: 415, text: "The body must be JSON, with Content-Type: application/json.")
        }
        guard let body = try? JSONValue(parsing: request.body), body.object != nil else {
            throw RequestError(status: 400, text: "The body must be a JSON object.")
        }
        return body
    }
}

extension SandboxHome.RequestError {
    fileprivate static func missing(_ member: String) -> Self {
        Self(status: 400, text: "The member \(member) is missing, or is no text.")
    }
}

// MARK: - Description

/// The description of the interface for programs, in OpenAPI 3.1.
enum OpenAPI {
    static func document(_ origin: String) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Payment sandbox", "version": "1",
                "description":
                    "Simulated payment services on this machine. No money moves. Any test suite may use it; browsers' pages may from loopback origins.",
            ],
            "servers": [["url": .string(origin)]],
            "paths": .object(paths),
            "components": ["schemas": .object(schemas)],
        ]
    }

    private static let paths: [String: JSONValue] = [
        "/health": ["get": operation("Whether it is up", answer: ["type": "object"])],
        "/_sandbox/scenarios": ["get": operation("Everything that can be shown", answer: reference("Scenarios"))],
        "/_sandbox/payments": [
            "get": operation("The payments that were made last, at most 1,000", answer: reference("Payments")),
            "post": operation(
                "Makes a payment", body: reference("NewPayment"), status: "201", answer: reference("Payment")),
        ],
        "/_sandbox/payments/{id}": [
            "get": operation("One payment", parameters: [id], answer: reference("Payment"))
        ],
        "/_sandbox/payments/{id}/pay": [
            "post": operation(
                "Has the simulated payer pay, and waits for the end", parameters: [id], body: ["type": "object"],
                answer: reference("Payment"))
        ],
        "/_sandbox/payments/{id}/notify": [
            "post": operation(
                "Sends the newest notification again", parameters: [id], body: ["type": "object"],
                answer: ["type": "object", "properties": ["kind": text, "delivered": ["type": "boolean"]]])
        ],
        "/_sandbox/ledger": [
            "get": operation(
                "What happened to every payment, from whatever client",
                parameters: [query("service"), query("payment")], answer: reference("Ledger"))
        ],
        "/_sandbox/log": [
            "get": operation("The newest events", answer: ["type": "object", "properties": ["events": list("Event")]])
        ],
        "/_sandbox/events": [
            "get": [
                "summary": "Everything from now on, as server-sent events with an Event as data",
                "parameters": [query("after")],
                "responses": [
                    "200": ["description": "A stream", "content": ["text/event-stream": ["schema": text]]]
                ],
            ]
        ],
        "/_sandbox/faults": [
            "get": operation("The faults that wait for their request", answer: reference("Faults")),
            "post": operation(
                "Has the next fitting request meet a fault", body: reference("Fault"), status: "201",
                answer: reference("Fault")),
            "delete": operation("Forgets them", answer: reference("Faults")),
        ],
        "/_sandbox/clock": [
            "get": operation("The sandbox's clock", answer: reference("Clock")),
            "post": operation(
                "Sets it forward",
                body: [
                    "type": "object", "required": ["advance"],
                    "properties": ["advance": ["type": "integer", "minimum": 1, "description": "Seconds"]],
                ], answer: reference("Clock")),
        ],
        "/_sandbox/read": [
            "post": operation(
                "Says what a payment text is, as payroute inspect does",
                body: ["type": "object", "required": ["text"], "properties": ["text": text]],
                answer: ["type": "object"])
        ],
        "/_sandbox/qr.svg": [
            "get": [
                "summary": "A QR code", "parameters": [query("text"), query("payment")],
                "responses": ["200": ["description": "A picture", "content": ["image/svg+xml": ["schema": text]]]],
            ]
        ],
    ]

    private static let schemas: [String: JSONValue] = [
        "Scenarios": ["type": "object", "properties": ["services": ["type": "array", "items": ["type": "object"]]]],
        "NewPayment": [
            "type": "object", "required": ["service", "scenario"],
            "properties": [
                "service": text, "scenario": text,
                "amount": ["type": "string", "description": "Such as 12.50; only where the service takes one"],
                "currency": ["type": "string", "description": "ISO 4217"],
            ],
        ],
        "Payment": [
            "type": "object", "required": ["id", "service", "events"],
            "properties": [
                "id": text, "service": text, "scenario": text, "summary": text, "link": text,
                "satoshi": ["type": "integer", "description": "What to pay where the link leaves it open"],
                "trusted": ["type": "boolean"], "madeHere": ["type": "boolean"], "url": text,
                "events": ["type": "array", "items": text], "outcome": text, "reason": text,
                "journal": ["type": "array", "items": text],
            ],
        ],
        "Payments": ["type": "object", "properties": ["payments": list("Payment")]],
        "Ledger": [
            "type": "object",
            "properties": [
                "ledger": [
                    "type": "array",
                    "items": [
                        "type": "object",
                        "properties": [
                            "payment": text, "service": text, "scenario": ["type": ["string", "null"]],
                            "events": ["type": "array", "items": text],
                        ],
                    ],
                ]
            ],
        ],
        "Event": [
            "type": "object", "required": ["n", "at", "kind", "title", "detail"],
            "properties": [
                "n": ["type": "integer"], "at": ["type": "string", "format": "date-time"],
                "kind": ["enum": .array(HomeEvent.Kind.allCases.map { .string($0.rawValue) })],
                "title": text, "detail": text, "service": text, "payment": text,
                "status": ["type": "integer", "description": "0 where the connection was closed"], "fault": text,
            ],
        ],
        "Fault": [
            "type": "object", "required": ["kind"],
            "properties": [
                "kind": ["enum": .array(PlannedFault.Kind.allCases.map { .string($0.rawValue) })],
                "payment": text, "path": ["type": "string", "description": "A part of the path"], "method": text,
            ],
        ],
        "Faults": ["type": "object", "properties": ["faults": list("Fault")]],
        "Clock": [
            "type": "object",
            "properties": [
                "now": ["type": "string", "format": "date-time"],
                "advanced": ["type": "integer", "description": "Seconds"],
            ],
        ],
    ]

    // MARK: Parts

    private static let text: JSONValue = ["type": "string"]
    private static let id: JSONValue = ["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]

    private static func query(_ name: String) -> JSONValue {
        ["name": .string(name), "in": "query", "schema": ["type": "string"]]
    }

    private static func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(schema)")] }

    private static func list(_ schema: String) -> JSONValue { ["type": "array", "items": reference(schema)] }

    private static func operation(
        _ summary: String, parameters: [JSONValue] = [], body: JSONValue? = nil, status: String = "200",
        answer: JSONValue
    ) -> JSONValue {
        var operation: JSONValue = [
            "summary": .string(summary),
            "responses": .object([
                status: ["description": .string(summary), "content": ["application/json": ["schema": answer]]]
            ]),
        ]
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body {
            operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]]
        }
        return operation
    }
}
