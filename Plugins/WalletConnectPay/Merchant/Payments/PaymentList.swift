public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// Which payments a list has, and in which order.
    public struct Filter: Sendable, Hashable {
        /// What a list is sorted by.
        @nonexhaustive
        public enum Sorting: String, Sendable, Hashable, CaseIterable {
            /// When payments were made.
            case date
            /// What they cost.
            case amount
        }

        /// Those made at this time or later.
        public var from: Date?
        /// Those made before this time.
        public var until: Date?
        /// Those in one of these states, in the service's words; empty for all.
        public var statuses: [String]
        /// Those whose order's reference has this in it: 3 to 35 of the characters that references have.
        public var reference: String?
        /// Those paid in one of these tokens, by their symbols; empty for all.
        public var tokenSymbols: [String]
        /// Those paid on one of these networks (CAIP-2); empty for all.
        public var networks: [String]
        /// What to sort by; nil leaves it to the service.
        public var sorting: Sorting?
        /// Whether the smallest or earliest comes first; nil leaves it to the service.
        public var isAscending: Bool?
        /// How many a page has: 1 to 200.
        public var limit: Int

        /// Creates a filter; without arguments it lets everything through.
        public init(
            from: Date? = nil, until: Date? = nil, statuses: [String] = [], reference: String? = nil,
            tokenSymbols: [String] = [], networks: [String] = [], sorting: Sorting? = nil, isAscending: Bool? = nil,
            limit: Int = 50
        ) {
            self.from = from
            self.until = until
            self.statuses = statuses
            self.reference = reference
            self.tokenSymbols = tokenSymbols
            self.networks = networks
            self.sorting = sorting
            self.isAscending = isAscending
            self.limit = limit
        }

        func query(at merchant: ProviderID) throws(PaymentError) -> [(name: String, value: String)] {
            guard (1...200).contains(limit) else {
                throw PaymentError(.requestRefused, "a page of a list has 1 to 200 payments", provider: merchant)
            }
            if let reference, !Order.isSearchable(reference) {
                throw PaymentError(
                    .requestRefused,
                    "lists are searched for 3 to 35 of letters, digits, space and / : . , + -", provider: merchant)
            }
            var query: [(name: String, value: String)] = [("limit", String(limit))]
            if let from { query.append(("startTs", from.ISO8601Format())) }
            if let until { query.append(("endTs", until.ISO8601Format())) }
            query += statuses.map { ("status", $0) }
            if let reference { query.append(("referenceId", reference)) }
            query += tokenSymbols.map { ("token_symbol", $0) }
            if !networks.isEmpty { query.append(("network", networks.joined(separator: ","))) }
            if let sorting { query.append(("sortBy", sorting.rawValue)) }
            if let isAscending { query.append(("sortDir", isAscending ? "asc" : "desc")) }
            return query
        }
    }

    /// One page of a list.
    public struct PaymentPage: Sendable, Hashable {
        /// The payments, in the list's order.
        public let payments: [ListedPayment]
        /// Where the next page begins; nil on the last.
        public let nextCursor: String?
        /// How many payments the whole list has, by the service's count.
        public let totalCount: Int64
        /// How many buyers they have, by the service's count.
        public let buyerCount: Int64

        init(_ body: PaymentListBody, at merchant: ProviderID) {
            payments = body.data.map { ListedPayment($0, at: merchant) }
            nextCursor = body.nextCursor.flatMap { $0.isEmpty ? nil : $0 }
            totalCount = body.stats.totalTransactions
            buyerCount = body.stats.totalCustomers
        }
    }

    /// A payment as lists show it.
    public struct ListedPayment: Sendable, Hashable {
        /// What it is called in routers and journals.
        public let payment: PaymentReference
        /// The service's id of the merchant that it is for.
        public let merchantID: String
        /// The merchant's own name of the order. Not unique.
        public let reference: String
        /// The service's word for its state.
        public let rawStatus: String
        /// Whether nothing more can happen to it, by the service's word.
        public let isFinal: Bool
        /// What it costs.
        public let price: Money?
        /// What was paid, in tokens.
        public let paid: Money?
        /// The account that paid (CAIP-10).
        public let buyer: String?
        /// The transaction that paid.
        public let transactionID: String?
        /// What the service keeps of it.
        public let fee: Money?
        /// Whether the merchant was paid out.
        public let isSettled: Bool
        /// When it was made.
        public let createdAt: Date?
        /// When it changed last.
        public let changedAt: Date?
        /// When the merchant was paid out.
        public let settledAt: Date?

        init(_ row: PaymentListBody.Row, at merchant: ProviderID) {
            payment = PaymentReference(provider: merchant, id: row.paymentId)
            merchantID = row.merchant.id
            reference = row.referenceId
            rawStatus = row.status.printable
            isFinal = row.isTerminal
            price = row.fiatAmount?.money
            paid = row.tokenAmount?.money
            buyer = row.buyer?.accountCaip10
            transactionID = row.transaction?.hash
            fee = row.fees?.total.money
            isSettled = row.settlement?.settled ?? false
            createdAt = WireTime.read(row.createdAt)
            changedAt = WireTime.read(row.lastUpdatedAt)
            settledAt = row.settledAt.flatMap(WireTime.read)
        }
    }
}
