import PaymentCore

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

    /// Adds an object of texts.
    mutating func addMember(_ name: StaticString, _ values: [String: String]) {
        key(name)
        append(UInt8(ascii: "{"))
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in sorted.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            string(member.key)
            append(UInt8(ascii: ":"))
            string(member.value)
        }
        append(UInt8(ascii: "}"))
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
        text.withUTF8 { utf8 in
            if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                self += utf8
            } else {
                escape(utf8)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Escapes what JSON demands (RFC 8259 section 7), and also DEL and the C1 controls, which drive terminals.
    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
            case 0x08: self += #"\b"#.utf8
            case 0x09: self += #"\t"#.utf8
            case 0x0A: self += #"\n"#.utf8
            case 0x0C: self += #"\f"#.utf8
            case 0x0D: self += #"\r"#.utf8
            case 0..<0x20, 0x7F: self += #"\u00\#(Hex.encode(CollectionOfOne(byte)))"#.utf8
            case 0xC2 where index < utf8.count && utf8[index] < 0xA0:
                self += #"\u00\#(Hex.encode(CollectionOfOne(utf8[index])))"#.utf8
                index += 1
            default: append(byte)
            }
        }
    }
}
