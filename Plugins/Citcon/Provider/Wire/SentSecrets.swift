package import PaymentCore

/// What was sent and must not come back: a service may repeat a request in the text of an error, or anywhere else.
package struct SentSecrets: Sendable {
    private var values: [Redacted<String>] = []

    /// Shorter ones are no secrets, and would be found everywhere.
    private static let shortest = 8
    /// The members that are made to hold such values, and are handed on unprinted.
    private static let holders: Set<String> = ["charge_token", "token", "content", "config", "pan"]

    package init(_ values: [Redacted<String>?] = []) { add(values) }

    package mutating func add(_ more: [Redacted<String>?]) {
        values += more.compactMap(\.self).filter { $0.reveal().utf8.count >= Self.shortest }
    }

    /// With what an order's body says of cards, accounts and consent.
    package func and(of body: JSONValue) -> SentSecrets {
        let payment = body["payment"]
        var all = self
        var texts = [payment?["nonce"], payment?["token"], body["ext"]?["gateway"]?["grant"]?["grant_id"]]
        texts += payment?["data"]?.object?.values.map { $0 } ?? []
        all.add(texts.map { $0?.string.map { Redacted($0) } })
        return all
    }

    /// `json` without them.
    package func taken(from json: JSONValue) -> JSONValue {
        guard !values.isEmpty else { return json }
        let secrets = values.map { $0.reveal() }
        func cleaned(_ json: JSONValue) -> JSONValue {
            switch json {
            case .string(let text):
                guard secrets.contains(where: text.contains) else { return json }
                return .string(secrets.reduce(text) { $0.replacing($1, with: Self.stand) })
            case .number(let number): return secrets.contains(number.text) ? .string(Self.stand) : json
            case .array(let elements): return .array(elements.map(cleaned))
            case .object(let members):
                var clean: [String: JSONValue] = [:]
                for (name, value) in members { clean[name] = Self.holders.contains(name) ? value : cleaned(value) }
                return .object(clean)
            case .null, .bool: return json
            }
        }
        return cleaned(json)
    }

    private static let stand = "<redacted>"

    /// `text` for printing: what is as long as a token goes, whoever's it is.
    package static func printable(_ text: String?) -> String {
        guard let text else { return "nil" }
        let isPart: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
        var shown = ""
        var run = ""
        func end() {
            shown += run.utf8.count > 24 ? stand : run
            run = ""
        }
        for character in text {
            if isPart(character) {
                run.append(character)
            } else {
                end()
                shown.append(character)
            }
        }
        end()
        return shown
    }
}
