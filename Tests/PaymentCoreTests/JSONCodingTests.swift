import PaymentCore
import Testing

@Suite("JSON coding")
struct JSONCodingTests {
    enum Status: String, Codable { case open, done }
    enum Event: Codable, Hashable {
        case sent(id: Int, to: String)
        case lost
    }
    struct Inner: Codable, Hashable {
        var flag: Bool
        var maybe: [Int?]
    }
    struct Everything: Codable, Hashable {
        var text: String
        var small: Int8
        var signed: Int64
        var unsigned: UInt64
        var fraction: Double
        var short: Float
        var status: Status
        var events: [Event]
        var matrix: [[UInt16]]
        var table: [String: Inner]
        var absent: String?
        var present: String?
        var raw: JSONValue
        var empty: Empty
    }
    struct Empty: Codable, Hashable {}

    static let everything = Everything(
        text: "\u{0}é\"", small: -128, signed: .min, unsigned: .max, fraction: 0.1, short: 0.1, status: .done,
        events: [.sent(id: 1, to: "x"), .lost], matrix: [[], [1, 65535]],
        table: ["k": Inner(flag: true, maybe: [1, nil])], absent: nil, present: "p",
        raw: ["n": .number(JSONNumber("1.50e1")!), "a": [nil, true]], empty: Empty())

    @Test("Every shape comes back as it was")
    func everyShapeRoundTrips() throws {
        let json = try JSONValue.encode(Self.everything)
        let text =
            #"{"empty":{},"events":[{"sent":{"id":1,"to":"x"}},{"lost":{}}],"fraction":0.1,"matrix":[[],[1,65535]],"#
            + #""present":"p","raw":{"a":[null,true],"n":1.50e1},"short":0.1,"signed":-9223372036854775808,"small":-128,"#
            + #""status":"done","table":{"k":{"flag":true,"maybe":[1,null]}},"text":"\u0000é\"","#
            + #""unsigned":18446744073709551615}"#
        #expect(json.text == text)
        #expect(try JSONValue(parsing: text).decode(Everything.self) == Self.everything)
    }

    @Test("Top-level scalars and optionals")
    func topLevelScalarsAndOptionals() throws {
        #expect(try JSONValue.encode("a") == "a")
        #expect(try JSONValue.encode(nil as Int?) == .null)
        #expect(try JSONValue.encode([1: "a"]).decode([Int: String].self) == [1: "a"])
        #expect(try JSONValue.null.decode(Int?.self) == nil)
        #expect(try (3 as JSONValue).decode(Int?.self) == 3)
        #expect(try JSONValue.encode(JSONValue.null) == .null)
        #expect(try JSONValue(parsing: "[1.0,2e2]").decode([Int].self) == [1, 200])
    }

    class Base: Codable {
        var base = 1
    }
    final class Derived: Base {
        var own = 2
        enum CodingKeys: CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            own = try container.decode(Int.self, forKey: .own)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("Classes and their superclasses")
    func superclasses() throws {
        let value = Derived()
        value.base = 5
        let json = try JSONValue.encode(value)
        #expect(json.text == #"{"own":2,"super":{"base":5}}"#)
        #expect(try json.decode(Derived.self).base == 5)
    }

    /// Reads and writes through nested containers by hand.
    struct Manual: Codable, Equatable {
        var numbers: [Int]
        enum Outer: CodingKey { case list }
        enum Member: CodingKey { case n }
        init(numbers: [Int]) { self.numbers = numbers }
        init(from decoder: any Decoder) throws {
            var list = try decoder.container(keyedBy: Outer.self).nestedUnkeyedContainer(forKey: .list)
            numbers = []
            while !list.isAtEnd {
                if try list.decodeNil() { continue }
                numbers.append(try list.nestedContainer(keyedBy: Member.self).decode(Int.self, forKey: .n))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Outer.self)
            var list = outer.nestedUnkeyedContainer(forKey: .list)
            try list.encodeNil()
            for number in numbers {
                var member = list.nestedContainer(keyedBy: Member.self)
                try member.encode(number, forKey: .n)
            }
        }
    }

    @Test("Nested containers")
    func nestedContainers() throws {
        let json = try JSONValue.encode(Manual(numbers: [4, 5]))
        #expect(json.text == #"{"list":[null,{"n":4},{"n":5}]}"#)
        #expect(try json.decode(Manual.self) == Manual(numbers: [4, 5]))
    }

    static let failures: [(json: String, path: String)] = [
        (#"{"flag":"hush","maybe":[]}"#, "flag"), (#"{"flag":null,"maybe":[]}"#, "flag"), (#"{"maybe":[]}"#, ""),
        (#"{"flag":true,"maybe":["hush"]}"#, "maybe.0"), (#"{"flag":true,"maybe":[1,1.5]}"#, "maybe.1"),
        (#"{"flag":true,"maybe":[9223372036854775808]}"#, "maybe.0"), (#"{"flag":true,"maybe":{"hush":1}}"#, "maybe"),
        (#"["hush"]"#, ""), (#""hush""#, ""),
    ]

    @Test("decoding errors name the place, not the content", arguments: failures)
    func decodingErrors(json: String, path: String) throws {
        let value = try JSONValue(parsing: json)
        let error = #expect(throws: DecodingError.self) { try value.decode(Inner.self) }
        let context = try #require(error?.context)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
        #expect(!context.debugDescription.contains("hush") && !context.debugDescription.contains("9223"))
    }

    @Test("Unknown raw values are not quoted")
    func unknownRawValuesAreNotQuoted() throws {
        for json in [#""hush""#, #"["hush"]"#, #"{"a":["hush"]}"#] {
            let value = try JSONValue(parsing: json)
            let error = #expect(throws: DecodingError.self) {
                switch value {
                case .string: _ = try value.decode(Status.self)
                case .array: _ = try value.decode([Status].self)
                default: _ = try value.decode([String: [Status]].self)
                }
            }
            #expect(error.map { "\($0)".contains("hush") } == false)
        }
    }

    @Test("Integers must fit")
    func integersMustFit() {
        #expect(throws: DecodingError.self) { try (256 as JSONValue).decode(UInt8.self) }
        #expect(throws: DecodingError.self) { try (-1 as JSONValue).decode(UInt.self) }
        #expect(throws: DecodingError.self) { try ("1" as JSONValue).decode(Int.self) }
        #expect(throws: DecodingError.self) { try JSONValue(parsing: "1e400").decode(Double.self) }
    }

    @Test("Refuses what JSON cannot say")
    func refusesWhatJSONCannotSay() {
        #expect(throws: EncodingError.self) { try JSONValue.encode(["x": Double.infinity]) }
        let deep = (0..<JSONValue.maximumDepth).reduce(JSONValue.null) { inner, _ in [inner] }
        #expect(throws: Never.self) { try JSONValue.encode(Optional(deep)) }
        #expect(throws: EncodingError.self) { try JSONValue.encode([deep]) }
        #expect(throws: EncodingError.self) { try JSONValue.encode(Chain(length: 100_000)) }
    }

    /// A list whose every element contains the next.
    struct Chain: Encodable {
        var length: Int
        enum CodingKeys: CodingKey { case next }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if length > 0 { try container.encode(Chain(length: length - 1), forKey: .next) }
        }
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
