import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists of payments: one merchant's, and the whole account's.
extension WalletConnectPaySandbox {
    func list(_ request: HTTPRequest, ofMerchant: Bool) throws(ServiceError) -> HTTPResponse {
        let caller = try RequestChecks.caller(request.headers, configuration, needsMerchant: ofMerchant, isCore: false)
        let query = try ListQuery(request.url.query ?? "", isPreview: caller.isPreview)
        let merchants = ofMerchant ? [caller.merchant] : query.merchants
        let all = listed(in: caller.world) { payment in
            (merchants.isEmpty || merchants.contains(payment.merchantID)) && query.takes(payment)
                // A version omits payments in states that it does not have.
                && (caller.isPreview || payment.status != .cancelled)
        }
        let (page, next) = try query.page(of: all)
        return .json([
            "data": .array(page.map { row($0) }), "nextCursor": next.map { .string($0) } ?? .null, "stats": stats(all),
        ]).speaking(caller.version)
    }

    /// Returns the payments of an environment, expiries applied.
    func listed(in world: World, _ takes: (PaymentRecord) -> Bool) -> [PaymentRecord] {
        payments.keys.compactMap { try? payment($0) }.filter { $0.world == world && takes($0) }
    }

    private func row(_ payment: PaymentRecord) -> JSONValue {
        var row: JSONValue = [
            "paymentId": .string(payment.id), "referenceId": .string(payment.referenceID),
            "merchant": ["id": .string(payment.merchantID), "name": .string(payment.merchant)],
            "status": .string(payment.status.rawValue), "isTerminal": .bool(payment.status.isFinal),
            "fiatAmount": payment.price, "createdAt": .string(Self.time(payment.createdAt)),
            "lastUpdatedAt": .string(Self.time(payment.changedAt)),
        ]
        guard let transfer = payment.transfer else { return row }
        row["tokenAmount"] = transfer.amount
        row["buyer"] = ["accountCaip10": .string(transfer.account)]
        row["transaction"] = [
            "networkId": .string(transfer.account.split(separator: ":").dropFirst().first.map(String.init) ?? ""),
            "hash": .string(transfer.transactionID),
        ]
        let fees = Fees(on: payment.units, in: payment.pricing)
        row["fees"] = [
            "total": payment.pricing.amount(fees.total), "fixed": payment.pricing.amount(fees.fixed),
            "percentage": "0.4",
        ]
        if payment.status == .succeeded {
            row["settlement"] = [
                "settled": true, "amount": transfer.amount, "txHash": .string(transfer.transactionID),
            ]
            row["settledAt"] = .string(Self.time(payment.changedAt))
        } else {
            row["settlement"] = ["settled": false]
        }
        return row
    }

    private func stats(_ payments: [PaymentRecord]) -> JSONValue {
        var revenue: [Pricing: UInt128] = [:]
        for payment in payments where payment.status == .succeeded {
            revenue[payment.pricing, default: 0] += payment.units
        }
        return [
            "totalRevenue": .array(
                revenue.sorted { $0.key.code < $1.key.code }.map { pricing, units in
                    ["amount": .number(pricing.majorUnits(units)), "currency": .string(pricing.code)]
                }),
            "totalTransactions": .number(JSONNumber(payments.count)),
            "totalCustomers": .number(JSONNumber(Set(payments.compactMap(\.transfer?.account)).count)),
        ]
    }

    // MARK: The older list

    /// Answers `GET /v1/merchants/{id}/payments`: the same in snake case, as it was before accounts had several
    /// merchants.
    func legacyList(_ request: HTTPRequest, _ merchant: String) throws(ServiceError) -> HTTPResponse {
        let caller = try RequestChecks.caller(
            request.headers, configuration, needsMerchant: false, isCore: false, keyName: "X-Api-Key")
        let query = try ListQuery(request.url.query ?? "", isPreview: false, isLegacy: true)
        let all = listed(in: caller.world) { $0.merchantID == merchant && query.takes($0) && $0.status != .cancelled }
        let (page, next) = try query.page(of: all)
        let dollars = all.filter { $0.status == .succeeded && $0.pricing == .dollars }.reduce(UInt128(0)) {
            $0 + $1.units
        }
        return .json([
            "data": .array(page.map { legacyRow($0) }), "next_cursor": next.map { .string($0) } ?? .null,
            "stats": [
                "total_customers": .number(JSONNumber(Set(all.compactMap(\.transfer?.account)).count)),
                "total_revenue": ["amount": .number(Pricing.dollars.majorUnits(dollars)), "currency": "USD"],
                "total_transactions": .number(JSONNumber(all.count)),
            ],
        ])
    }

    private func legacyRow(_ payment: PaymentRecord) -> JSONValue {
        let look = payment.transfer?.amount["display"]
        return [
            "payment_id": .string(payment.id), "merchant_id": .string(payment.merchantID),
            "reference_id": .string(payment.referenceID), "status": .string(payment.status.rawValue),
            "is_terminal": .bool(payment.status.isFinal), "wallet_name": "", "wallet_logo": nil,
            "token_symbol": look?["assetSymbol"] ?? nil, "token_decimals": look?["decimals"] ?? nil,
            "token_logo": look?["iconUrl"] ?? nil, "chain_logo": look?["networkIconUrl"] ?? nil,
            "buyer_caip10": payment.transfer.map { .string($0.account) } ?? .null,
            "tx_hash": payment.transfer.map { .string($0.transactionID) } ?? .null,
            "created_at": .string(Self.time(payment.createdAt)),
            "last_updated_at": .string(Self.time(payment.changedAt)),
        ]
    }

    /// Returns ISO 8601 with milliseconds.
    static func time(_ date: Date) -> String {
        date.ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Pricing {
    /// Returns major units as a number.
    fileprivate func majorUnits(_ units: UInt128) -> JSONNumber {
        let digits = String(units)
        guard decimals > 0 else { return JSONNumber(digits) ?? JSONNumber(0) }
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        return JSONNumber("\(padded.dropLast(decimals)).\(padded.suffix(decimals))") ?? JSONNumber(0)
    }
}

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
