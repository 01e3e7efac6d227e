package import PaymentCore

/// Sent values that must not return: a service may repeat a request in the text of an error, or anywhere else.
package struct SentSecrets: Sendable {
    private var values: [Redacted<String>] = []

    /// The minimum length: shorter values are no secrets, and would occur everywhere.
    private static let shortest = 8
    /// The members that are made to hold such values; they are passed on, never printed.
    private static let holders: Set<String> = ["charge_token", "token", "content", "config", "pan"]

    package init(_ values: [Redacted<String>?] = []) { add(values) }

    package mutating func add(_ more: [Redacted<String>?]) {
        values += more.compactMap(\.self).filter { $0.reveal().utf8.count >= Self.shortest }
    }

    /// Returns these secrets with those in an order's body: cards, accounts and consent.
    package func and(of body: JSONValue) -> SentSecrets {
        let payment = body["payment"]
        var all = self
        var texts = [payment?["nonce"], payment?["token"], body["ext"]?["gateway"]?["grant"]?["grant_id"]]
        texts += payment?["data"]?.object?.values.map { $0 } ?? []
        all.add(texts.map { $0?.string.map { Redacted($0) } })
        return all
    }

    /// Returns `json` without these secrets.
    package func taken(from json: JSONValue) -> JSONValue {
        guard !values.isEmpty else { return json }
        let secrets = values.map { $0.reveal() }
        func cleaned(_ json: JSONValue) -> JSONValue {
            switch json {
            case .string(let text):
                guard secrets.contains(where: { $0.utf8.count <= text.utf8.count && text.contains($0) }) else {
                    return json
                }
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

    /// Returns `text` for printing, with every run as long as a token replaced, whatever its origin.
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
