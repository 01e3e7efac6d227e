import PaymentCore

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
