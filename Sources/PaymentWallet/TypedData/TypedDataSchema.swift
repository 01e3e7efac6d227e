import PaymentCore
import PaymentCrypto

/// The structures that typed data declares, checked: every name resolves and none contains itself.
struct TypedDataSchema: Sendable {
    struct Field: Sendable, Hashable {
        let name: String
        let typeText: String
        let type: TypedDataType
    }

    static let maximumTypes = 64
    static let maximumFields = 64
    static let domainName = "EIP712Domain"

    private(set) var structures: [String: [Field]] = [:]

    /// Reads `types`. Without an `EIP712Domain` among them, its fields follow from those that `domain` has.
    init(parsing types: [String: JSONValue], domain: [String: JSONValue]) throws(TypedDataError) {
        guard types.count <= Self.maximumTypes else { throw TypedDataError(.tooLarge, at: "types") }
        // In a fixed order, so that the same input always gives the same error.
        for (name, fields) in types.sorted(by: { $0.key < $1.key }) {
            guard TypedDataType.isIdentifier(name), !TypedDataType.isReserved(name) else {
                throw TypedDataError(.invalidName, at: "types")
            }
            structures[name] = try Self.fields(fields, at: "types.\(name)")
        }
        if structures[Self.domainName] == nil { structures[Self.domainName] = try Self.domainFields(domain) }
        try requireDeclaredTypes()
        try requireNoRecursion()
    }

    /// `Name(type field,…)` and, sorted by name, the same of every structure that it refers to (EIP-712, encodeType).
    func encodedType(_ name: String) -> String? {
        guard structures[name] != nil else { return nil }
        var found: Set<String> = []
        var pending = [name]
        while let next = pending.popLast() {
            guard found.insert(next).inserted else { continue }
            pending += (structures[next] ?? []).compactMap(\.type.structureName)
        }
        found.remove(name)
        return ([name] + found.sorted()).map { name in
            let fields = (structures[name] ?? []).map { "\($0.typeText) \($0.name)" }
            return "\(name)(\(fields.joined(separator: ",")))"
        }.joined()
    }

    private static func fields(_ value: JSONValue, at path: String) throws(TypedDataError) -> [Field] {
        guard let list = value.array else { throw TypedDataError(.expected("an array of fields"), at: path) }
        guard list.count <= maximumFields else { throw TypedDataError(.tooLarge, at: path) }
        var fields: [Field] = []
        var names: Set<String> = []
        for (index, entry) in list.enumerated() {
            let path = "\(path)[\(index)]"
            guard let name = entry["name"]?.string, let text = entry["type"]?.string else {
                throw TypedDataError(.expected("an object with the strings name and type"), at: path)
            }
            guard TypedDataType.isIdentifier(name) else { throw TypedDataError(.invalidName, at: path) }
            guard names.insert(name).inserted else { throw TypedDataError(.duplicateField, at: path) }
            guard let type = TypedDataType(text) else { throw TypedDataError(.unknownType, at: path) }
            fields.append(Field(name: name, typeText: text, type: type))
        }
        return fields
    }

    /// The fields of EIP-712's domain that are there, in the order of the standard.
    private static func domainFields(_ domain: [String: JSONValue]) throws(TypedDataError) -> [Field] {
        let standard = [
            Field(name: "name", typeText: "string", type: .string),
            Field(name: "version", typeText: "string", type: .string),
            Field(name: "chainId", typeText: "uint256", type: .integer(bits: 256, signed: false)),
            Field(name: "verifyingContract", typeText: "address", type: .address),
            Field(name: "salt", typeText: "bytes32", type: .fixedBytes(32)),
        ]
        let present = domain.filter { !$0.value.isNull }
        guard present.keys.allSatisfy({ key in standard.contains { $0.name == key } }) else {
            throw TypedDataError(.unknownDomainField, at: "domain")
        }
        return standard.filter { present[$0.name] != nil }
    }

    private func requireDeclaredTypes() throws(TypedDataError) {
        for (name, fields) in structures.sorted(by: { $0.key < $1.key }) {
            for (index, field) in fields.enumerated() {
                if let structure = field.type.structureName, structures[structure] == nil {
                    throw TypedDataError(.unknownType, at: "types.\(name)[\(index)]")
                }
            }
        }
    }

    /// Removes structures that refer to no remaining one, round by round; the rest refer to themselves.
    private func requireNoRecursion() throws(TypedDataError) {
        var open = structures.mapValues { Set($0.compactMap(\.type.structureName)) }
        while !open.isEmpty {
            let settled = open.filter { $0.value.isEmpty }.map(\.key)
            guard !settled.isEmpty else {
                throw TypedDataError(.recursiveType, at: "types.\(open.keys.min() ?? "")")
            }
            for name in settled { open[name] = nil }
            for name in open.keys { open[name]?.subtract(settled) }
        }
    }
}
