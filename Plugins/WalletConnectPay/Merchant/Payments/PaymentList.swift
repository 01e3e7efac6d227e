public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The selection and the order of a list's payments.
    public struct Filter: Sendable, Hashable {
        /// The sort key of a list.
        @nonexhaustive
        public enum Sorting: String, Sendable, Hashable, CaseIterable {
            /// The time of creation.
            case date
            /// The price.
            case amount
        }

        /// The earliest time of creation.
        public var from: Date?
        /// The end of the times of creation, exclusive.
        public var until: Date?
        /// The states, by the service's raw values; empty for all.
        public var statuses: [String]
        /// A part of the order's reference: 3 to 35 of the characters that references have.
        public var reference: String?
        /// The tokens that paid, by their symbols; empty for all.
        public var tokenSymbols: [String]
        /// The networks (CAIP-2) of the paying transactions; empty for all.
        public var networks: [String]
        /// The sort key; nil leaves it to the service.
        public var sorting: Sorting?
        /// True if the smallest or earliest comes first; nil leaves it to the service.
        public var isAscending: Bool?
        /// The page size: 1 to 200.
        public var limit: Int

        /// Creates a filter; without arguments it selects all payments.
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
            if let from { query.append(("startTs", RFC3339(from).text)) }
            if let until { query.append(("endTs", RFC3339(until).text)) }
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
        /// The cursor of the next page; nil on the last.
        public let nextCursor: String?
        /// The number of payments in the whole list, as the service reports it.
        public let totalCount: Int64
        /// The number of their buyers, as the service reports it.
        public let buyerCount: Int64

        init(_ body: PaymentListBody, at merchant: ProviderID) {
            payments = body.data.map { ListedPayment($0, at: merchant) }
            nextCursor = body.nextCursor.flatMap { $0.isEmpty ? nil : $0 }
            totalCount = body.stats.totalTransactions
            buyerCount = body.stats.totalCustomers
        }
    }

    /// A payment in a list.
    public struct ListedPayment: Sendable, Hashable {
        /// The payment's reference in routers and journals.
        public let payment: PaymentReference
        /// The service's id of the payee.
        public let merchantID: String
        /// The merchant's own reference of the order. Not unique.
        public let reference: String
        /// The service's raw status.
        public let rawStatus: String
        /// True if the service says that the status can no longer change.
        public let isFinal: Bool
        /// The price.
        public let price: Money?
        /// The paid amount, in tokens.
        public let paid: Money?
        /// The account that paid (CAIP-10).
        public let buyer: String?
        /// The transaction that paid.
        public let transactionID: String?
        /// The service's fee.
        public let fee: Money?
        /// True if the merchant was paid out.
        public let isSettled: Bool
        /// The time of its creation.
        public let createdAt: Date?
        /// The time of its last change.
        public let changedAt: Date?
        /// The time of the payout to the merchant.
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
