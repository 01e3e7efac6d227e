import PaymentCore
import PaymentCrypto
import SandboxSupport

/// The body of a request: one JSON object, of whose members each is known.
struct ServeBody: Sendable {
    private let members: [String: JSONValue]
    /// The digest of the object, the same whatever its spelling: what is compared when a key comes again.
    var digest: String { Hex.encode(Digest.sha256.hash(JSONValue.object(members).serialized())) }

    /// Reads a body.
    ///
    /// - Parameter names: The members that it may have.
    init(_ bytes: [UInt8], _ names: Set<String>) throws(ServeError) {
        let value: JSONValue
        do { value = bytes.isEmpty ? [:] : try JSONValue(parsing: bytes) } catch {
            throw .malformed("the body is not JSON: \(error)")
        }
        guard let members = value.object else { throw .malformed("the body is not a JSON object") }
        try self.init(members, names)
    }

    private init(_ members: [String: JSONValue], _ names: Set<String>) throws(ServeError) {
        guard let unknown = members.keys.filter({ !names.contains($0) }).min() else {
            self.members = members
            return
        }
        let known =
            names.isEmpty ? "none is known here" : "the known ones are \(names.sorted().joined(separator: ", "))"
        throw .malformed("the member '\(Printable.short(unknown, 40))' is not known; \(known)")
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func text(_ name: String) throws(ServeError) -> String? {
        guard let member = members[name] else { return nil }
        guard let text = member.string, text.utf8.count <= 65536 else {
            throw .malformed("the member '\(name)' is not a text")
        }
        return text
    }

    func required(_ name: String) throws(ServeError) -> String {
        guard let text = try text(name), !text.isEmpty else { throw .malformed("the member '\(name)' is missing") }
        return text
    }

    func flag(_ name: String) throws(ServeError) -> Bool {
        guard let member = members[name] else { return false }
        guard let flag = member.bool else { throw .malformed("the member '\(name)' is neither true nor false") }
        return flag
    }

    /// Reads the texts of an object by their names.
    func texts(_ name: String) throws(ServeError) -> [String: String] {
        guard let object = members[name]?.object else { throw .malformed("the member '\(name)' is not an object") }
        var texts: [String: String] = [:]
        for (key, value) in object {
            guard let text = value.string else { throw .malformed("a member of '\(name)' is not a text") }
            texts[key] = text
        }
        return texts
    }

    /// Reads the accounts that a payer pays from, in the form of CAIP-10.
    func accounts(_ name: String) throws(ServeError) -> [AccountID] {
        guard let member = members[name] else { return [] }
        guard let list = member.array, list.count <= 50 else {
            throw .malformed("the member '\(name)' is not a list of at most 50 accounts")
        }
        var accounts: [AccountID] = []
        for element in list {
            guard let text = element.string, let account = try? AccountID(text) else {
                throw .malformed("the member '\(name)' has an element that is no account, such as eip155:8453:0x…")
            }
            accounts.append(account)
        }
        return accounts
    }

    /// Reads an amount with its unit: `{"amount": "12.50", "unit": "iso4217/EUR"}`; a token's has its `decimals`, too.
    /// Bitcoin is `BTC`, or whole satoshis in `sat`.
    func money(_ name: String) throws(ServeError) -> Money? {
        guard let member = members[name] else { return nil }
        return try Self.money(member, name)
    }

    /// Reads a list of amounts.
    func moneys(_ name: String) throws(ServeError) -> [Money]? {
        guard let member = members[name] else { return nil }
        guard let list = member.array, !list.isEmpty, list.count <= 50 else {
            throw .malformed("the member '\(name)' is not a list of 1 to 50 amounts")
        }
        var moneys: [Money] = []
        for element in list { moneys.append(try Self.money(element, name)) }
        return moneys
    }

    private static func money(_ member: JSONValue, _ name: String) throws(ServeError) -> Money {
        guard let members = member.object else { throw .malformed("the member '\(name)' holds no amount with a unit") }
        let body = try ServeBody(members, ["amount", "unit", "decimals"])
        var decimals: UInt8?
        if let member = members["decimals"] {
            guard let number = member.uint64.flatMap({ UInt8(exactly: $0) }) else {
                throw .malformed("the decimals of '\(name)' are not a number from 0 to 38")
            }
            decimals = number
        }
        let (amount, unit) = (try body.required("amount"), try body.required("unit"))
        do {
            return try Money(amount, unit: unit, decimals: decimals)
        } catch {
            throw .malformed("the member '\(name)' is not an amount: \(error)")
        }
    }
}
