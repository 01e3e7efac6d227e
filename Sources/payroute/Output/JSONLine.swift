import PaymentCore
import SandboxSupport

/// Writes JSON objects, one on each line, straight into an output buffer.
///
/// Members must be added sorted by name.
extension [UInt8] {
    /// Writes one object, whose members `body` adds, and ends the line.
    mutating func addJSONLine(_ body: (inout Self) -> Void) {
        append(UInt8(ascii: "{"))
        body(&self)
        self += "}\n".utf8
    }

    /// Adds a text, or null.
    mutating func addMember(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { self += "null".utf8 }
    }

    /// Adds a truth value.
    mutating func addMember(_ name: StaticString, _ value: Bool) {
        key(name)
        self += (value ? "true" : "false").utf8
    }

    /// Adds a list of texts.
    mutating func addMember(_ name: StaticString, _ values: [String]) {
        key(name)
        append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            string(value)
        }
        append(UInt8(ascii: "]"))
    }

    /// Adds an object.
    mutating func addMember(_ name: StaticString, _ values: [String: JSONValue]) {
        key(name)
        value(.object(values))
    }

    /// Adds an object, whose members `body` adds.
    mutating func addObject(_ name: StaticString, _ body: (inout Self) -> Void) {
        key(name)
        append(UInt8(ascii: "{"))
        body(&self)
        append(UInt8(ascii: "}"))
    }

    /// Adds a list of objects, whose members `body` adds.
    mutating func addObjects<Item>(_ name: StaticString, _ list: [Item], _ body: (inout Self, Item) -> Void) {
        key(name)
        append(UInt8(ascii: "["))
        for (index, element) in list.enumerated() {
            append(contentsOf: index > 0 ? ",{".utf8 : "{".utf8)
            body(&self, element)
            append(UInt8(ascii: "}"))
        }
        append(UInt8(ascii: "]"))
    }

    /// Writes an existing object, and ends the line.
    mutating func addJSONLine(_ members: [String: JSONValue]) {
        value(.object(members))
        append(UInt8(ascii: "\n"))
    }

    /// Adds any value.
    mutating func addJSON(_ name: StaticString, _ json: JSONValue) {
        key(name)
        value(json)
    }

    private mutating func value(_ json: JSONValue) {
        switch json {
        case .null: self += "null".utf8
        case .bool(let flag): self += (flag ? "true" : "false").utf8
        case .number(let number): self += number.text.utf8
        case .string(let text): string(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                value(element)
            }
            append(UInt8(ascii: "]"))
        case .object(let members):
            append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                string(member.key)
                append(UInt8(ascii: ":"))
                value(member.value)
            }
            append(UInt8(ascii: "}"))
        }
    }

    private mutating func key(_ name: StaticString) {
        // A value never ends with an opening brace, so only the first member stands behind one.
        self += last == UInt8(ascii: "{") ? "\"".utf8 : ",\"".utf8
        self += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        self += "\":".utf8
    }

    private mutating func string(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            let isPlain = utf8.allSatisfy {
                $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            if isPlain { self += utf8 }
            return isPlain
        }
        if !isPlain { escape(text) }
        append(UInt8(ascii: "\""))
    }

    /// Escapes what JSON demands (RFC 8259 section 7), and also what ``Printable`` finds unsafe: JSON is read on
    /// terminals, too.
    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": self += [UInt8(ascii: "\\"), UInt8(scalar.value)]
            case "\u{8}": self += #"\b"#.utf8
            case "\t": self += #"\t"#.utf8
            case "\n": self += #"\n"#.utf8
            case "\u{C}": self += #"\f"#.utf8
            case "\r": self += #"\r"#.utf8
            case _ where Printable.isUnsafe(scalar):
                for unit in String(scalar).utf16 {
                    self += #"\u"#.utf8
                    self += Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8
                }
            default: self += String(scalar).utf8
            }
        }
    }
}
