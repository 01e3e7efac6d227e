import PaymentCrypto

/// JSON whose members keep their order, for what was signed or recorded in it.
package struct OrderedJSON: Sendable {
    package typealias Members = [(name: String, value: OrderedJSON?)]

    package let text: String
    package var bytes: [UInt8] { Array(text.utf8) }

    package static let null = OrderedJSON(text: "null")

    package static func object(_ members: Members) -> OrderedJSON {
        let written = members.compactMap { name, value in value.map { "\(string(name).text):\($0.text)" } }
        return OrderedJSON(text: "{\(written.joined(separator: ","))}")
    }

    package static func value(_ value: JSONValue) -> OrderedJSON { OrderedJSON(text: value.text) }

    package static func string(_ text: String) -> OrderedJSON { value(.string(text)) }

    package static func base64(_ bytes: [UInt8]) -> OrderedJSON { string(Base64URL.encode(bytes)) }

    package static func number(_ number: some BinaryInteger) -> OrderedJSON { OrderedJSON(text: "\(number)") }

    package static func array(_ values: [OrderedJSON]) -> OrderedJSON {
        OrderedJSON(text: "[\(values.map(\.text).joined(separator: ","))]")
    }

    /// Writes bytes as a list of numbers, as Rust's serializer writes keys.
    package static func numbers(_ bytes: [UInt8]) -> OrderedJSON { array(bytes.map { number($0) }) }
}

extension JSONValue {
    package func numbers(_ count: Int) -> [UInt8]? {
        guard let array, array.count == count else { return nil }
        let bytes = array.compactMap { $0.uint64.flatMap { UInt8(exactly: $0) } }
        return bytes.count == count ? bytes : nil
    }
}
