/// JSON whose members keep their order, for what was signed or recorded in it.
package enum OrderedJSON {
    /// Returns the text of an object; nil members are left out.
    package static func object(_ members: [(name: String, value: String?)]) -> String {
        "{\(members.compactMap { member in member.value.map { "\(string(member.name)):\($0)" } }.joined(separator: ","))}"
    }

    package static func string(_ text: String) -> String { JSONValue.string(text).text }

    package static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    /// Returns bytes as a list of numbers, as Rust's serializer writes keys.
    package static func numbers(_ bytes: [UInt8]) -> String { array(bytes.map(String.init)) }
}

extension JSONValue {
    /// Returns the bytes of a list of `count` numbers; nil for anything else.
    package func numbers(_ count: Int) -> [UInt8]? {
        guard let array, array.count == count else { return nil }
        let bytes = array.compactMap { $0.uint64.flatMap { UInt8(exactly: $0) } }
        return bytes.count == count ? bytes : nil
    }
}
