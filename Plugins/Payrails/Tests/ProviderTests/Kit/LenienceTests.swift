import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The parts of a session that a client can read.
private struct Visible: Equatable {
    struct Option: Equatable {
        let type: Payrails.PaymentType
        var hasDescription = true
        var hasClientConfig = true
        var hasConfig = true
    }

    var options = [.card, .payPal, .applePay, .genericRedirect].map { Option(type: $0) }
    var cards = 1
    var accounts = 1
    var hasVault = true
    var encrypts = true

    /// The full payload's.
    static let all = Visible()

    private init() {}

    init(_ payload: SessionPayload) {
        options = payload.options.compactMap { option in
            option.type.map {
                Option(
                    type: $0, hasDescription: option.description != nil, hasClientConfig: option.clientConfig != nil,
                    // Other kinds have no configuration that is read.
                    hasConfig: option.config != nil || ![.payPal, .applePay].contains($0))
            }
        }
        cards = payload.instruments(.card).count
        accounts = payload.instruments(.payPal).count
        hasVault = payload.vault?.providerConfigId != nil
        encrypts = payload.encryptionKey != nil
    }

    /// Removes the parts that the vendor's client loses, by `words`, for the member `path`.
    mutating func lose(_ words: String, at path: [String]) {
        let index = path.firstIndex(of: "paymentCompositionOptions").flatMap { path.dropFirst($0 + 1).first }
            .flatMap { Int($0) }
        for word in words.split(separator: " ") {
            switch word {
            case "vault": hasVault = false
            case "cse": encrypts = false
            case "payment", "options":
                options = []
                cards = 0
                accounts = 0
            default:
                guard let index else { continue }
                if ["option", "instruments"].contains(word) {
                    if index == 0 { cards = 0 }
                    if index == 1 { accounts = 0 }
                }
                switch word {
                case "option": options.remove(at: index)
                case "clientConfig": options[index].hasClientConfig = false
                case "description": options[index].hasDescription = false
                case "config": options[index].hasConfig = false
                default: break
                }
            }
        }
    }

    /// True if this has everything that `other` has.
    func covers(_ other: Visible) -> Bool {
        let types = options.map(\.type)
        let hasOptions = other.options.allSatisfy { wanted in
            options.contains { option in
                option.type == wanted.type && (option.hasDescription || !wanted.hasDescription)
                    && (option.hasClientConfig || !wanted.hasClientConfig) && (option.hasConfig || !wanted.hasConfig)
            }
        }
        return hasOptions && Set(types).count == types.count && cards >= other.cards && accounts >= other.accounts
            && (hasVault || !other.hasVault) && (encrypts || !other.encrypts)
    }
}

/// The inputs that the vendor's parsers accept, against ours (Protocol 1.6).
@Suite("Lenience")
struct LenienceTests {
    private let table: JSONValue
    private let payload: JSONValue
    /// The rows of the table, by their members.
    private let rows: [(path: [String], row: JSONValue)]

    init() throws {
        table = try JSONValue(parsing: Array(try Vectors.data("payrails-session")))
        payload = try #require(table["payload"])
        rows = (table["members"]?.array ?? []).flatMap { row in
            (row["paths"]?.array ?? []).compactMap(\.string).map { ($0.split(separator: ".").map(String.init), row) }
        }
    }

    /// Every member and element of `value`, by its path.
    private static func paths(_ value: JSONValue, _ path: [String] = []) -> [[String]] {
        let parts: [(String, JSONValue)] =
            value.object.map { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
            ?? (value.array ?? []).enumerated().map { (String($0.offset), $0.element) }
        return parts.flatMap { [path + [$0.0]] + paths($0.1, path + [$0.0]) }
    }

    private func row(_ path: [String]) -> [JSONValue] {
        rows.filter { row in
            row.path.count == path.count
                && zip(row.path, path).allSatisfy { $0 == $1 || $0 == "#" && Int($1) != nil }
        }.map(\.row)
    }

    /// The variants of a member: the table's column, and the value; nil if the member is omitted.
    private static func variants(of value: JSONValue) -> [(column: String, value: JSONValue?)] {
        let kinds: [(JSONValue, (JSONValue) -> Bool)] = [
            (7, { $0.number != nil }), ("x", { $0.string != nil }), (true, { $0.bool != nil }),
            ([:], { $0.object != nil }), ([], { $0.array != nil }),
        ]
        var variants: [(String, JSONValue?)] = [("missing", nil), ("null", .null)]
        variants += kinds.filter { !$0.1(value) }.map { ("wrong", $0.0) }
        switch value {
        case .string: variants += [("empty", ""), ("other", "x")]
        case .object: variants.append(("empty", [:]))
        case .array: variants.append(("empty", []))
        case .number, .bool, .null: break
        }
        return variants
    }

    @Test("Every member of the full payload has one row in the table, and every row a member")
    func tableIsWhole() {
        let paths = Self.paths(payload)
        #expect(paths.count > 150)
        for path in paths { #expect(row(path).count == 1, "\(path.joined(separator: "."))") }
        for (path, _) in rows {
            let isUsed = paths.contains { candidate in
                candidate.count == path.count && zip(path, candidate).allSatisfy { $0 == $1 || $0 == "#" }
            }
            #expect(isUsed, "\(path.joined(separator: "."))")
        }
    }

    @Test("Nothing that the vendor's client takes is refused or lost here, but for a listed reason")
    func nothingIsRefused() throws {
        #expect(Visible(try SessionPayload(Sample.initData(payload))) == .all)
        let listed = (table["stricter"]?.array ?? []).compactMap { entry in
            entry["path"]?.string.flatMap { path in entry["variant"]?.string.map { "\(path) \($0)" } }
        }
        var stricter: Set<String> = []
        var (accepted, refused, milder) = (0, 0, 0)
        for path in Self.paths(payload) {
            let name = path.joined(separator: ".")
            let row = try #require(row(path).first, "\(name)")
            for (column, value) in Self.variants(of: try #require(payload.at(path))) {
                let verdict = try #require(row[column]?.string, "\(name) \(column)")
                let variant = payload.with(value, at: path)
                let own: Visible?
                do { own = Visible(try SessionPayload(Sample.initData(variant))) } catch {
                    #expect(!error.description.contains("token-1"), "\(name) \(column)")
                    own = nil
                }
                guard verdict != "F" else {
                    refused += 1
                    if own != nil { milder += 1 }
                    continue
                }
                accepted += 1
                var wanted = Visible.all
                wanted.lose(verdict, at: path)
                guard own?.covers(wanted) != true else { continue }
                stricter.insert("\(name) \(column)")
                #expect(listed.contains("\(name) \(column)"), "\(name) \(column): \(String(describing: own))")
            }
        }
        #expect(stricter == Set(listed), "what is listed is really so")
        #expect(accepted > 700 && refused > 300, "\(accepted) accepted, \(refused) refused")
        #expect(milder > 50, "\(milder)")
    }

    // MARK: Special cases

    private static let options = [
        "execution", "initialResults", "0", "body", "data", "paymentCompositionOptions",
    ]

    private func session(_ payload: JSONValue) throws -> PayrailsSession {
        try PayrailsSession.scripted(ScriptedService([:]), payload: payload)
    }

    @Test("Two lookups do not double the list, and the second has what the first lacks")
    func twoLookups() throws {
        let lookup = try #require(payload.at(["execution", "initialResults", "0"]))
        let twice = payload.with([lookup, lookup], at: ["execution", "initialResults"])
        #expect(try session(twice).getPaymentMethodConfig().map(\.paymentMethodCode).count == 4)
        #expect(try session(twice).storedInstruments(for: .card).map(\.id) == ["i1"])
        // The first has no instruments of cards, or is a different result.
        let none = lookup.with(nil, at: ["body", "data", "paymentCompositionOptions", "0", "paymentInstruments"])
        let other = lookup.with("other", at: ["body", "name"])
        for first in [none, other] {
            let both = payload.with([first, lookup], at: ["execution", "initialResults"])
            #expect(try session(both).getPaymentMethodConfig().count == 4)
            #expect(try session(both).storedInstruments(for: .card).map(\.id) == ["i1"])
        }
    }

    @Test("Two options for cards, the first without instruments: the vendor's client shows none of them")
    func twoCardOptions() throws {
        let card = try #require(payload.at(Self.options + ["0"]))
        let options = [card.with(nil, at: ["paymentInstruments"])] + (payload.at(Self.options)?.array ?? [])
        #expect(try session(payload.with(.array(options), at: Self.options)).storedInstruments(for: .card).count == 1)
    }

    @Test("Elements that are no options cost themselves; the vendor's client gives the session up for them")
    func noOptions() throws {
        let strange: [JSONValue] = [["integrationType": "adyenDropIn"], "bare", nil, 7]
        let options = strange + (payload.at(Self.options)?.array ?? [])
        #expect(try session(payload.with(.array(options), at: Self.options)).getPaymentMethodConfig().count == 4)
    }

    @Test("One odd display name leaves the cards where they are")
    func oddNames() throws {
        for path in [["0", "clientConfig", "displayName"], ["0", "paymentInstruments", "0", "displayName"]] {
            let odd = payload.with(["de": "Karte"], at: Self.options + path)
            #expect(try session(odd).storedInstruments(for: .card).map(\.description) == ["411111***1111"])
            #expect(try session(odd).isPaymentAvailable(type: .card))
        }
        let odd = payload.with(7, at: Self.options + ["0", "clientConfig", "displayName"])
        let config = try #require(try session(odd).getPaymentMethodConfig(.specific("card")).first?.clientConfig)
        #expect(config.displayName == nil && config.flow == "embedded" && config.supportsSaveInstrument == true)
    }

    @Test("Only what can be paid with is offered")
    func payable() throws {
        let full = try session(payload)
        for type in Payrails.PaymentType.allCases { #expect(full.isPaymentAvailable(type: type)) }
        let cases: [([String], [Payrails.PaymentType])] = [
            (["vaultConfiguration", "providerConfigId"], [.payPal, .applePay, .genericRedirect]),
            (Self.options + ["1", "config"], [.card, .applePay, .genericRedirect]),
            (Self.options + ["1", "config", "merchantId"], [.card, .applePay, .genericRedirect]),
            (Self.options + ["0"], [.payPal, .applePay, .genericRedirect]),
            (["execution", "initialResults", "0", "body", "links", "authorize", "href"], []),
            (["execution"], []),
        ]
        for (path, left) in cases {
            let less = payload.with(nil, at: path)
            let types = Set(try Payrails.PaymentType.allCases.filter(session(less).isPaymentAvailable))
            #expect(types == Set(left), "\(path)")
            // A router offers the same, except Apple's sheet, which it does not have.
            let offered = Set(
                try PaymentChoice.all(
                    in: SessionPayload(Sample.initData(less)), price: SessionPayload(less).amount.money()
                )
                .compactMap { try $0.providerData?.decode(PaymentChoice.self).type })
            #expect(offered == Set(left.filter { $0 != .applePay }.map(\.rawValue)), "\(path)")
        }
        let unknown = payload.with("zz", at: Self.options + ["0", "paymentMethodCode"])
        #expect(
            try session(unknown).getPaymentMethodConfig().map(\.paymentMethodCode) == ["payPal", "applePay", "ideal"])
        #expect(try !session(unknown).isPaymentCodeAvailable(paymentMethodCode: "zz"))
    }

    @Test("Encodings: a byte order mark and white space are passed over; UTF-16 and doubled keys are refused")
    func encodings() throws {
        func read(_ bytes: [UInt8]) throws -> SessionPayload {
            try SessionPayload(Payrails.InitData(version: "1", data: Data(bytes).base64EncodedString()))
        }
        let text = payload.serialized()
        #expect(Visible(try read([0xEF, 0xBB, 0xBF] + text + [0x0A])) == .all)
        // RFC 8259 requires UTF-8, and two tokens are ambiguous.
        let wide = Array(try #require(String(decoding: text, as: UTF8.self).data(using: .utf16)))
        let doubled = Array("{\"token\":\"a\",".utf8) + text.dropFirst()
        for bytes in [wide, doubled, Array("[]".utf8), Array("{}".utf8)] {
            #expect(throws: PayrailsError.self) { try read(bytes) }
        }
    }

    @Test("A status that cannot be read may say that a payment was begun: the service is asked first")
    func unreadableStatus() async throws {
        for status: JSONValue in [7, ["code": "authorizeRequested", "time": "soon"], ["time": "2026-01-01T00:00:00Z"]] {
            let service = ScriptedService([.read: [.ok(Sample.status([Sample.requested, Sample.successful]))]])
            let odd = Sample.payload().with([status], at: ["execution", "status"])
            let session = try PayrailsSession.scripted(service, payload: odd)
            #expect(await session.executePayment(withStoredInstrument: session.card).word == "success")
            #expect(service.calls == [.read])
        }
    }
}

extension JSONValue {
    /// The value at `path`.
    func at(_ path: [String]) -> JSONValue? {
        guard let first = path.first else { return self }
        return (Int(first).flatMap { self[$0] } ?? self[first])?.at(Array(path.dropFirst()))
    }

    /// This value with `value` at `path`; a nil `value` removes the member.
    func with(_ value: JSONValue?, at path: [String]) -> JSONValue {
        guard let first = path.first else { return value ?? .null }
        let rest = Array(path.dropFirst())
        if var elements = array, let index = Int(first), elements.indices.contains(index) {
            if rest.isEmpty, value == nil {
                elements.remove(at: index)
            } else {
                elements[index] = elements[index].with(value, at: rest)
            }
            return .array(elements)
        }
        var copy = self
        if rest.isEmpty {
            copy[first] = value
        } else {
            copy[first] = (self[first] ?? [:]).with(value, at: rest)
        }
        return copy
    }
}
