import PaymentCore
import PaymentCrypto

/// Turns values into the 32-byte words of EIP-712 (encodeData).
///
/// Recursion follows the types, which do not contain themselves: at most as deep as there are types and dimensions.
struct TypedDataEncoder {
    private let schema: TypedDataSchema
    private var typeHashes: [String: [UInt8]] = [:]

    init(schema: TypedDataSchema) {
        self.schema = schema
    }

    /// Returns the input of hashStruct: the type's hash and one word for each field.
    mutating func encodeStructure(_ name: String, _ value: JSONValue, at path: String) throws(TypedDataError)
        -> [UInt8]
    {
        guard let fields = schema.structures[name] else { throw TypedDataError(.unknownType, at: path) }
        guard let members = value.object else { throw TypedDataError(.expected("an object"), at: path) }
        var encoded = typeHash(name)
        for field in fields {
            let path = "\(path).\(field.name)"
            guard let value = members[field.name] else { throw TypedDataError(.missing, at: path) }
            encoded += try encodeWord(field.type, value, at: path)
        }
        return encoded
    }

    private mutating func typeHash(_ name: String) -> [UInt8] {
        if let known = typeHashes[name] { return known }
        let hash = Keccak256.hash((schema.encodedType(name) ?? "").utf8)
        typeHashes[name] = hash
        return hash
    }

    private mutating func encodeWord(_ type: TypedDataType, _ value: JSONValue, at path: String) throws(TypedDataError)
        -> [UInt8]
    {
        switch type {
        case .bool:
            guard let flag = value.bool else { throw TypedDataError(.expected("true or false"), at: path) }
            return [UInt8](repeating: 0, count: 31) + [flag ? 1 : 0]
        case .address:
            guard let text = value.string else { throw TypedDataError(.expected("an address"), at: path) }
            do {
                return [UInt8](repeating: 0, count: 12) + (try EthereumAddress(parsing: text).bytes)
            } catch {
                throw TypedDataError(.invalidAddress(error), at: path)
            }
        case .string:
            guard let text = value.string else { throw TypedDataError(.expected("a string"), at: path) }
            return Keccak256.hash(text.utf8)
        case .bytes:
            return Keccak256.hash(try bytes(value, count: nil, at: path))
        case .fixedBytes(let count):
            return try bytes(value, count: count, at: path) + [UInt8](repeating: 0, count: 32 - count)
        case .integer(let bits, let signed):
            guard let number = TypedDataInteger(value) else {
                throw TypedDataError(.expected("a whole number in decimal or 0x notation"), at: path)
            }
            guard let word = number.word(bits: bits, signed: signed) else {
                throw TypedDataError(.outOfRange, at: path)
            }
            return word
        case .structure(let name):
            return Keccak256.hash(try encodeStructure(name, value, at: path))
        case .array(let element, let count):
            guard let values = value.array else { throw TypedDataError(.expected("an array"), at: path) }
            if let count, values.count != count {
                throw TypedDataError(.expected("an array of \(count) elements"), at: path)
            }
            var hasher = Keccak256()
            for (index, value) in values.enumerated() {
                hasher.update(try encodeWord(element, value, at: "\(path)[\(index)]"))
            }
            return hasher.finalize()
        }
    }

    private func bytes(_ value: JSONValue, count: Int?, at path: String) throws(TypedDataError) -> [UInt8] {
        guard let text = value.string, text.hasPrefix("0x"), let bytes = Hex.decode(text),
            count == nil || bytes.count == count
        else {
            let digits = count.map { "\($0 * 2)" } ?? "an even number of"
            throw TypedDataError(.expected("0x and \(digits) hexadecimal digits"), at: path)
        }
        return bytes
    }
}
