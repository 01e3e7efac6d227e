import PaymentCore
import Testing

@Suite("JSON grammar")
struct JSONGrammarTests {
    static let accepted: [(text: String, compact: String)] = [
        ("null", "null"), ("true", "true"), ("false", "false"), (" \t\r\n1 \t\r\n", "1"),
        ("0", "0"), ("-0", "-0"), ("-1", "-1"), ("10", "10"), ("0.0", "0.0"), ("-0.5", "-0.5"), ("1.50", "1.50"),
        ("1e3", "1e3"), ("1E+3", "1E+3"), ("1e-03", "1e-03"), ("0e0", "0e0"),
        ("123456789012345678901234567890.000000000000000001", "123456789012345678901234567890.000000000000000001"),
        (#""""#, #""""#), (#""a""#, #""a""#), (#""é🚀""#, #""é🚀""#), (#""\/""#, #""/""#),
        (#""\"\\\b\f\n\r\t""#, #""\"\\\b\f\n\r\t""#), (#""\u0000\u001F""#, #""\u0000\u001f""#),
        (#""\u0041\u00e9\u20AC""#, #""Aé€""#), (#""\ud83d\uDE80""#, #""🚀""#), (#""\uDBFF\uDFFF""#, "\"\u{10FFFF}\""),
        ("\"\u{7F}\u{2028}\"", "\"\u{7F}\u{2028}\""), (#""a\nb""#, #""a\nb""#),
        ("[]", "[]"), ("[ ]", "[]"), ("[1,[2],[[]]]", "[1,[2],[[]]]"), ("[1 , 2]", "[1,2]"),
        ("{}", "{}"), ("{ }", "{}"), (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#), (#"{"":{"":[]}}"#, #"{"":{"":[]}}"#),
        (#"{ "a" : null }"#, #"{"a":null}"#), (#"{"Z":1,"a":2,"é":3,"~":4}"#, #"{"Z":1,"a":2,"~":4,"é":3}"#),
    ]

    @Test("accepts and writes compactly", arguments: accepted)
    func accepts(text: String, compact: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.text == compact)
        #expect(try JSONValue(parsing: value.serialized()) == value)
    }

    static let rejected: [(text: String, reason: JSONError.Reason, offset: Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("\u{FEFF}1", .unexpectedByte, 0),
        ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3), ("True", .unexpectedByte, 0),
        ("nulll", .trailingData, 4), ("1 2", .trailingData, 2), ("{}{}", .trailingData, 2), ("[1]]", .trailingData, 3),
        ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("-Infinity", .invalidNumber, 1),
        ("01", .invalidNumber, 1), ("-01", .invalidNumber, 2), ("00", .invalidNumber, 1), ("1.", .unexpectedEnd, 2),
        ("[1.]", .invalidNumber, 3), ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("-", .unexpectedEnd, 1),
        ("--1", .invalidNumber, 1), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("[1e]", .invalidNumber, 3),
        ("0x10", .trailingData, 1), ("1_000", .trailingData, 1), ("1.2.3", .trailingData, 3),
        ("'a'", .unexpectedByte, 0), ("\"a", .unexpectedEnd, 2), ("\"a\\", .unexpectedEnd, 3),
        ("\"\n\"", .controlCharacter, 1), ("\"\u{0}\"", .controlCharacter, 1), ("\"a\\n\t\"", .controlCharacter, 4),
        (#""\x41""#, .invalidEscape, 1), (#""\U0041""#, .invalidEscape, 1), (#""\u00g0""#, .invalidEscape, 5),
        (#""\u12"#, .unexpectedEnd, 5), (#""\'""#, .invalidEscape, 1),
        (#""\ud800""#, .loneSurrogate, 1), (#""\udc00""#, .loneSurrogate, 1), (#""\ud800\n""#, .loneSurrogate, 1),
        (#""\ud800\u0041""#, .loneSurrogate, 1), (#""\ud800\ud800""#, .loneSurrogate, 1),
        ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
        ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2), ("]", .unexpectedByte, 0),
        ("{", .unexpectedEnd, 1), (#"{"a"}"#, .unexpectedByte, 4), (#"{"a":}"#, .unexpectedByte, 5),
        (#"{"a":1,}"#, .unexpectedByte, 7), ("{a:1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1),
        (#"{"a":1 "b":2}"#, .unexpectedByte, 7), (#"{"a":1,"a":1}"#, .duplicateKey, 7),
        (#"{"a":1,"\u0061":2}"#, .duplicateKey, 7), ("{\"e\u{301}\":1,\"\u{E9}\":2}", .duplicateKey, 9),
        ("// c\n1", .unexpectedByte, 0), ("1/**/", .trailingData, 1), ("\u{A0}1", .unexpectedByte, 0),
        ("\u{B}1", .unexpectedByte, 0),
    ]

    @Test("refuses with reason and place", arguments: rejected)
    func rejects(text: String, reason: JSONError.Reason, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [[0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]] as [[UInt8]])
    func rejectsInvalidUTF8(bad: [UInt8]) {
        for prefix in ["", "\\n"] {
            let text = Array("[\"\(prefix)".utf8) + bad + Array("\"]".utf8)
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.reason == .invalidUTF8)
            #expect(error?.offset == 1)
        }
    }

    @Test("nests to the limit and no further", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        _ = try JSONValue(parsing: nested(JSONValue.maximumDepth))
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: nested(JSONValue.maximumDepth + 1)) }
        #expect(error?.reason == .tooDeep)
        #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: open, count: 100_000)) }
    }

    @Test("every cut of a text is an error, never a trap")
    func cuts() {
        let text = Array(#"{"a":[1.5e-3,"\u00e9\ud83d\ude80é",true,null],"b":{}}"#.utf8)
        for end in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: text[..<end]) }
        }
    }

    @Test("a changed byte gives an error or another value that survives writing and reading")
    func mutations() throws {
        let text = Array(#"{"a":[-1.5e-3,"\u00e9\ud83d\ude80é",true,null],"b":{}}"#.utf8)
        for index in text.indices {
            for byte in UInt8.min ... .max {
                var mutated = text
                mutated[index] = byte
                guard let value = try? JSONValue(parsing: mutated) else { continue }
                #expect(try JSONValue(parsing: value.serialized()) == value)
            }
        }
    }

    @Test("errors and dumps do not quote content")
    func discretion() throws {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"secret":"hush" x}"#) }
        #expect(error.map { "\($0)" } == "not valid JSON: unexpected character at byte 17")
        let value = try JSONValue(parsing: #"{"secret":["hush"]}"#)
        var printed = "\(value) \(String(reflecting: value))"
        dump(value, to: &printed)
        #expect(!printed.contains("hush") && !printed.contains("secret"))
    }
}
