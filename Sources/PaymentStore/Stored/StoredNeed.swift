import PaymentCore

/// What an option asks of the payer.
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

    static func read(_ object: StoredObject) throws(Unreadable) -> PayerNeed {
        switch object.form {
        case .first:
            // The need was the only key, and what belongs to it the value.
            guard object.members.count == 1, let word = object.members.keys.first else { throw Unreadable() }
            return try read(word, try object.object(word))
        case .second: return try read(try object.text("need"), object)
        }
    }

    private static func read(_ word: String, _ details: StoredObject) throws(Unreadable) -> PayerNeed {
        switch word {
        case "signing": .signing(method: try details.text("method"))
        case "data": .data
        case "page": .page
        case "app": .app(name: try details.text("name"))
        case "code": .code
        case "settlement":
            .settlement(.init(rawValue: try details.text("kind")), network: try details.optionalText("network"))
        default: throw Unreadable()
        }
    }
}
