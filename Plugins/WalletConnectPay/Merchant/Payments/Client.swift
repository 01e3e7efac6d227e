public import PaymentCore
import WalletConnectPayProvider

extension WalletConnectPayMerchant {
    /// What a merchant's server does beside giving back and calling off: it makes payments, looks at them and waits.
    ///
    /// ```swift
    /// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
    /// let payment = try await shop.createPayment(.init(reference: "ORDER-7", amount: price))
    /// ```
    public struct Client: Sendable {
        let merchant: WalletConnectPayMerchant
        let api: MerchantAPI
        let clock: any PaymentClock

        /// Makes a payment: once. When the answer is lost, the same request is sent once more under the same key, by
        /// which the service recognises it.
        ///
        /// - Returns: the payment and the link for its buyer.
        /// - Throws: ``PaymentError``. With phase `maybeSent` there may be a payment that nobody can pay, because
        ///   nobody knows its link: the same order again, under the same key, finds it or makes it.
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

        /// Looks at a payment.
        ///
        /// - Returns: what the service shows of it: not its price, and not whether it was given back.
        /// - Throws: ``PaymentError`` when the service cannot be asked or does not know it.
        public func payment(_ payment: PaymentReference) async throws(PaymentError) -> PaymentView {
            let id = try merchant.paymentID(payment)
            return PaymentView(
                try await asMerchant(merchant.id) { () throws(GatewayError) in try await api.view(id) }, of: payment)
        }

        /// Asks where a payment stands, and waits until it has ended, or for so long.
        ///
        /// The service is asked to hold each answer until something changes; how long it does is its own affair.
        ///
        /// - Parameters:
        ///   - payment: which one.
        ///   - limit: how long to wait at most; zero asks once.
        /// - Returns: the last word, which is not final when the time ran out.
        /// - Throws: ``PaymentError`` when the service cannot be asked, which says nothing about the payment.
        public func outcome(
            of payment: PaymentReference, waiting limit: Duration = .zero
        ) async throws(PaymentError) -> PaymentOutcome {
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
            return status.outcome(of: payment)
        }

        /// Shorter than proxies on the way commonly wait.
        private static let longestHold: Int64 = 25_000

        private static func hold(_ left: Int64) -> Int64? { left > 0 ? min(left, longestHold) : nil }

        // MARK: Lists

        /// Lists this merchant's payments, one page at a time.
        ///
        /// - Parameters:
        ///   - filter: which ones.
        ///   - cursor: where the page before ended; nil for the first.
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
        ///   - filter: which ones.
        ///   - merchants: only these merchants', by the service's ids; empty for all.
        ///   - cursor: where the page before ended; nil for the first.
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

        /// The most pages that are looked through for one payment.
        private static let mostPages = 25

        /// The price of a payment: only lists tell it, so the payment is looked for by its order's reference.
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
    /// Whether the request may have been carried out, and the same again may bring its answer.
    fileprivate var mayHaveLostItsAnswer: Bool {
        switch self {
        case .transport(let error): error.phase == .maybeSent && error.reason != .cancelled
        case .unusableAnswer: true
        // A success of another kind than was asked for is one that cannot be read.
        case .refused(let refusal): [2, 5].contains(refusal.status / 100) || refusal.status == 408
        default: false
        }
    }

    /// Whether the key was used for something else, which a copy of the same request never does.
    fileprivate var isConflict: Bool {
        if case .refused(let refusal) = self { refusal.code == "idempotency_conflict" } else { false }
    }
}
