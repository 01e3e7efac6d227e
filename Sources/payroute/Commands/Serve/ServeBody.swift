import PaymentCore
import PaymentCrypto
import SandboxSupport

/// The body of a request: one JSON object with known members only.
struct ServeBody: Sendable {
    private let members: [String: JSONValue]
    /// The digest of the object, which does not depend on its spelling. It is compared when a key is used again.
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

    /// Reads an amount with its unit: `{"amount": "12.50", "unit": "iso4217/EUR"}`. A token's amount has its
    /// `decimals`, too. Bitcoin is `BTC`, or whole satoshis in `sat`.
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

/// An answer of `payroute serve` that is an error: an HTTP status, and the object `error` of the body. It holds no
/// secret and no personal data.
struct ServeError: Error {
    let status: Int
    /// A `PaymentError.Code`, or one of the interface itself.
    let code: String
    let message: String
    var phase = PaymentError.Phase.beforeSend
    var provider: ProviderID?
    /// Header fields in addition to those of every answer.
    var headers: HTTPHeaders = [:]

    init(_ status: Int, _ code: String, _ message: String, headers: HTTPHeaders = [:]) {
        (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
    }

    /// Creates the answer to a call that the router, or a service behind it, has stopped.
    init(_ error: PaymentError) {
        (status, code, message) = (Self.status(of: error.code), error.code.rawValue, error.message)
        (phase, provider) = (error.phase, error.provider)
    }

    /// A call that names nothing that the caller may see.
    static let notFound = ServeError(404, "not-found", "there is nothing of this name; look at GET /openapi.json")

    /// A body, or a field, that cannot be read.
    static func malformed(_ message: String) -> ServeError { ServeError(422, "malformed-request", message) }

    /// The table failed: nothing was begun.
    static func table(_ error: any Error) -> ServeError {
        ServeError(503, PaymentError.Code.journal.rawValue, "the table of payments failed: \(error)")
    }

    var json: JSONValue {
        var error: JSONValue = [
            "code": .string(code), "message": .string(Printable.text(message, limit: 1000)),
            "phase": .string(phase.rawValue),
        ]
        error["provider"] = provider.map { .string($0.rawValue) }
        return ["error": error]
    }

    private static func status(of code: PaymentError.Code) -> Int {
        switch code {
        case .untrustedNotification: 403
        case .notFound: 404
        case .inUse, .openPeriod, .earlierPayment, .attemptEnded, .integrity, .foreignReturn, .refundTooLarge: 409
        case .network, .rateLimited, .serviceFailure, .invalidResponse, .unauthorized, .providerFault: 502
        case .journal: 503
        default: 422
        }
    }
}
