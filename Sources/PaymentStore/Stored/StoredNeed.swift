import PaymentCore

/// An option's demand on the payer.
enum StoredNeed {
    static func value(_ need: PayerNeed) -> JSONValue {
        switch need {
        case .signing(let method): ["need": "signing", "method": .string(method)]
        case .data: ["need": "data"]
        case .page: ["need": "page"]
        case .app(let name): ["need": "app", "name": .string(name)]
        case .code: ["need": "code"]
        case .settlement(let kind, let network):
            [
                "need": "settlement", "kind": .string(kind.rawValue),
                "network": network.map { .string($0) } ?? .null,
            ]
        }
    }

    static func read(_ object: StoredObject) throws(StoredFormDefect) -> PayerNeed {
        switch try object.text("need") {
        case "signing": .signing(method: try object.text("method"))
        case "data": .data
        case "page": .page
        case "app": .app(name: try object.text("name"))
        case "code": .code
        case "settlement":
            .settlement(.init(rawValue: try object.text("kind")), network: try object.optionalText("network"))
        default: throw StoredFormDefect()
        }
    }
}
