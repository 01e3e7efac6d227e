public import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The calls of a merchant's server other than refunds and cancellations: it creates payments, inspects them and
    /// waits.
    ///
    /// ```swift
    /// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
    /// let payment = try await shop.createPayment(.init(reference: "ORDER-7", amount: price))
    /// ```
    public struct Client: Sendable {
        let merchant: WalletConnectPayMerchant
        let api: MerchantAPI
        let clock: any PaymentClock

        /// Creates a payment, once. After a lost answer, the same request is sent again under the same key, and the
        /// service recognises it.
        ///
        /// - Returns: the payment and the link for its buyer.
        /// - Throws: ``PaymentError``. With phase `maybeSent` there may be a payment that cannot be paid, because its
        ///   link is unknown: the same order again, under the same key, finds it or creates it.
        public func createPayment(_ order: Order) async throws(PaymentError) -> CreatedPayment {
            let body = try order.body(at: merchant.id)
            let key = order.idempotencyKey
            let created: CreatedBody
            do throws(GatewayError) { created = try await api.create(body, key: key) } catch {
                guard error.mayHaveLostItsAnswer else {
                    throw ErrorTable.walletConnectPayMerchant.paymentError(
                        from: error, isMutation: !error.isConflict, at: merchant.id)
                }
                do throws(GatewayError) { created = try await api.create(body, key: key) } catch {
                    throw ErrorTable.walletConnectPayMerchant.paymentError(
                        from: GatewayError.afterOpenCopy(error), isMutation: true, at: merchant.id)
                }
            }
            return try CreatedPayment(created, at: merchant)
        }

        /// Gets a payment.
        ///
        /// - Returns: the service's view of it, which includes neither its price nor its refund.
        /// - Throws: ``PaymentError`` when the request fails or the service does not know the payment.
        public func payment(_ payment: PaymentReference) async throws(PaymentError) -> PaymentView {
            let id = try merchant.paymentID(payment)
            return PaymentView(
                try await asMerchant(merchant.id) { () throws(GatewayError) in try await api.view(id) }, of: payment)
        }

        /// Gets the report of a payment, and waits until it is final, or for a limited time.
        ///
        /// The request asks the service to hold each answer until the state changes. The service chooses the actual
        /// time.
        ///
        /// - Parameters:
        ///   - payment: the payment.
        ///   - limit: the maximum wait; zero asks once.
        /// - Returns: the latest report, which is not final when the time ran out.
        /// - Throws: ``PaymentError`` when the inquiry fails, which says nothing about the payment.
        public func report(
            of payment: PaymentReference, waiting limit: Duration = .zero
        ) async throws(PaymentError) -> ServiceReport {
            let id = try merchant.paymentID(payment)
            let poll = SettlementPoll(clock: clock, note: { _ in })
            let status = try await asMerchant(merchant.id) { () throws(GatewayError) in
                let start = clock.uptime
                let first = try await api.status(id, hold: Self.hold(limit.milliseconds))
                let left = limit - (clock.uptime - start)
                return try await poll.settle(first, within: max(.zero, left)) { left throws(GatewayError) in
                    try await api.status(id, hold: Self.hold(left))
                }
            }
            return status.report(of: payment)
        }

        /// Returns the time to hold a request, in milliseconds: shorter than the common limits of proxies on the way.
        private static func hold(_ left: Int64) -> Int64? { left > 0 ? min(left, 25_000) : nil }

        // MARK: Lists

        /// Lists this merchant's payments, one page at a time.
        ///
        /// - Parameters:
        ///   - filter: the payments to list.
        ///   - cursor: the end of the previous page; nil for the first.
        /// - Returns: the page.
        /// - Throws: ``PaymentError``; `integrity` when the page has other merchants' payments.
        public func payments(
            _ filter: Filter = Filter(), after cursor: String? = nil
        ) async throws(PaymentError) -> PaymentPage {
            let page = try await rows(filter, cursor, ofMerchant: true)
            guard page.payments.allSatisfy({ $0.merchantID == merchant.merchantID }) else {
                throw PaymentError(
                    .integrity, "WalletConnect Pay lists payments of another merchant", provider: merchant.id,
                    phase: .answered)
            }
            return page
        }

        /// Lists the payments of all merchants of the partner's account, one page at a time.
        ///
        /// - Parameters:
        ///   - filter: the payments to list.
        ///   - merchants: the merchants, by the service's ids; empty for all.
        ///   - cursor: the end of the previous page; nil for the first.
        /// - Returns: the page.
        /// - Throws: ``PaymentError``; `integrity` when the page has payments of others than `merchants`.
        public func partnerPayments(
            _ filter: Filter = Filter(), of merchants: [String] = [], after cursor: String? = nil
        ) async throws(PaymentError) -> PaymentPage {
            let page = try await rows(filter, cursor, ofMerchant: false, merchants: merchants)
            guard merchants.isEmpty || page.payments.allSatisfy({ merchants.contains($0.merchantID) }) else {
                throw PaymentError(
                    .integrity, "WalletConnect Pay lists payments of another merchant", provider: merchant.id,
                    phase: .answered)
            }
            return page
        }

        private func rows(
            _ filter: Filter, _ cursor: String?, ofMerchant: Bool, merchants: [String] = []
        ) async throws(PaymentError) -> PaymentPage {
            var query = try filter.query(at: merchant.id)
            query += merchants.map { ("merchantId", $0) }
            if let cursor { query.append(("cursor", cursor)) }
            let body = try await asMerchant(merchant.id) { [query] () throws(GatewayError) in
                try await api.payments(query, ofMerchant: ofMerchant)
            }
            return PaymentPage(body, at: merchant.id)
        }

        // MARK: Prices

        /// The maximum number of pages that a search for one payment reads.
        private static let mostPages = 25

        /// Returns the price of a payment: only lists include it, so this searches for the payment by its order's
        /// reference.
        func price(of id: String) async throws(PaymentError) -> Money {
            let view = try await asMerchant(merchant.id) { () throws(GatewayError) in try await api.view(id) }
            let reference = Order.isSearchable(view.referenceId) ? view.referenceId : nil
            let filter = Filter(reference: reference, limit: 200)
            var cursor: String?
            for _ in 0..<Self.mostPages {
                let page = try await payments(filter, after: cursor)
                if let row = page.payments.first(where: { $0.payment.id == id }) {
                    guard row.reference == view.referenceId, let price = row.price else { break }
                    return price
                }
                guard let next = page.nextCursor, next != cursor else { break }
                cursor = next
            }
            throw PaymentError(
                .invalidResponse,
                "WalletConnect Pay's lists do not state the price of this payment, so nothing is requested",
                provider: merchant.id, phase: .answered)
        }
    }
}

extension GatewayError {
    /// True if the request may have been carried out, and a repetition may return its answer.
    fileprivate var mayHaveLostItsAnswer: Bool {
        switch self {
        case .transport(let error): error.phase == .maybeSent && error.reason != .cancelled
        case .unusableAnswer: true
        // An unexpected success status makes the answer unreadable.
        case .refused(let refusal): [2, 5].contains(refusal.status / 100) || refusal.status == 408
        default: false
        }
    }

    /// True if the key was used for another request. A copy of the same request never gets this answer.
    fileprivate var isConflict: Bool {
        if case .refused(let refusal) = self { refusal.code == "idempotency_conflict" } else { false }
    }
}

// MARK: - Lists

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
