/// A type that is one JSON string, number or truth value: decoder and encoder treat it without a container.
///
/// Swift's `Decoder` asks for each of these types by its own method; through this protocol one generic method serves
/// them all.
protocol JSONScalar: Codable {
    static var jsonKind: JSONValue.Kind { get }
    /// Nil when a value of the right kind does not fit.
    init?(json: JSONValue)
    /// Nil when JSON cannot express the value.
    var json: JSONValue? { get }
}

extension Bool: JSONScalar {
    static var jsonKind: JSONValue.Kind { .bool }
    init?(json: JSONValue) {
        guard let value = json.bool else { return nil }
        self = value
    }
    var json: JSONValue? { .bool(self) }
}

extension String: JSONScalar {
    static var jsonKind: JSONValue.Kind { .string }
    init?(json: JSONValue) {
        guard let value = json.string else { return nil }
        self = value
    }
    var json: JSONValue? { .string(self) }
}

extension JSONScalar where Self: FixedWidthInteger {
    static var jsonKind: JSONValue.Kind { .number }
    init?(json: JSONValue) {
        guard let value = json.number?.exactly(Self.self) else { return nil }
        self = value
    }
    var json: JSONValue? { .number(JSONNumber(self)) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    static var jsonKind: JSONValue.Kind { .number }
    init?(json: JSONValue) {
        guard let value = json.number.flatMap({ Self($0.text) }), value.isFinite else { return nil }
        self = value
    }
    var json: JSONValue? { JSONNumber(self).map(JSONValue.number) }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}

/// A place inside a JSON value that no property names: an element, or the part of a superclass.
struct JSONCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    static let superclass = JSONCodingKey(stringValue: "super")
}
