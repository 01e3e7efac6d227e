import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checked query of a list.
struct ListQuery {
    private static let statuses = ["requires_action", "processing", "succeeded", "failed", "expired"]

    let merchants: [String]
    private let from: Date?
    private let until: Date?
    private let states: [String]
    private let reference: String?
    private let symbols: [String]
    private let networks: [String]
    private let isByAmount: Bool
    private let isAscending: Bool
    private let limit: Int
    private let cursor: String?

    init(_ query: String, isPreview: Bool, isLegacy: Bool = false) throws(ServiceError) {
        let items = QueryItems(Substring(query)).map { ($0.decodedValue ?? "", String($0.name)) }
        func all(_ name: String) -> [String] { items.filter { $0.1 == name }.map(\.0) }
        func only(_ name: String) -> String? { all(name).last }
        func date(_ name: String) throws(ServiceError) -> Date? {
            guard let text = only(name) else { return nil }
            guard let date = RFC3339(text, .lenient)?.date else { throw .invalid(name, "must be a date-time") }
            return date
        }
        func choice(_ name: String, _ words: [String]) throws(ServiceError) -> String? {
            guard let word = only(name) else { return nil }
            guard words.contains(word) else { throw .invalid(name, "must be one of \(words.joined(separator: ", "))") }
            return word
        }
        from = try date(isLegacy ? "start_ts" : "startTs")
        until = try date(isLegacy ? "end_ts" : "endTs")
        states = all("status")
        let known = Self.statuses + (isPreview ? ["cancelled"] : [])
        guard states.allSatisfy(known.contains) else { throw .invalid("status", "is not a status") }
        reference = isLegacy ? nil : only("referenceId")
        if let reference {
            let isPlain = reference.utf8.allSatisfy {
                $0.isASCIIDigit || $0.isASCIILetter || " /:.,+-".utf8.contains($0)
            }
            guard (3...35).contains(reference.utf8.count), isPlain else {
                throw .invalid("referenceId", "must be 3 to 35 characters")
            }
        }
        symbols = all("token_symbol")
        networks = (only("network") ?? "").split(separator: ",").map(String.init)
        merchants = isLegacy ? [] : all("merchantId")
        guard !symbols.contains(""), !merchants.contains("") else { throw .invalid("merchantId", "must not be empty") }
        isByAmount = try choice(isLegacy ? "sort_by" : "sortBy", ["date", "amount"]) == "amount"
        isAscending = try choice(isLegacy ? "sort_dir" : "sortDir", ["asc", "desc"]) == "asc"
        let wanted = only("limit") ?? "50"
        guard let limit = Int(wanted), (1...200).contains(limit) else { throw .invalid("limit", "must be 1 to 200") }
        self.limit = limit
        cursor = only("cursor")
    }

    func takes(_ payment: PaymentRecord) -> Bool {
        if let from, payment.createdAt < from { return false }
        if let until, payment.createdAt >= until { return false }
        if !states.isEmpty, !states.contains(payment.status.rawValue) { return false }
        if let reference, !payment.referenceID.contains(reference) { return false }
        let symbol = payment.transfer?.amount["display"]?["assetSymbol"]?.string
        if !symbols.isEmpty, !symbols.contains(symbol ?? "") { return false }
        let chain = payment.transfer?.account.split(separator: ":").prefix(2).joined(separator: ":")
        return networks.isEmpty || networks.contains(chain ?? "")
    }

    /// Returns the requested page, and the cursor of the next one.
    func page(of payments: [PaymentRecord]) throws(ServiceError) -> (page: [PaymentRecord], next: String?) {
        let sorted = payments.sorted { first, second in
            let isLess =
                isByAmount
                ? (first.cents, first.number) < (second.cents, second.number) : first.number < second.number
            return isAscending ? isLess : !isLess
        }
        var rest = sorted[...]
        if let cursor {
            guard let last = sorted.firstIndex(where: { Self.cursor(behind: $0) == cursor }) else {
                throw .parameters("Invalid request parameters")
            }
            rest = sorted[(last + 1)...]
        }
        let page = Array(rest.prefix(limit))
        let hasMore = rest.count > page.count
        return (page, hasMore ? page.last.map(Self.cursor(behind:)) : nil)
    }

    private static func cursor(behind payment: PaymentRecord) -> String {
        Data("after:\(payment.id)".utf8).base64EncodedString()
    }
}
