public import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

extension WalletConnectPayMerchant: RefundingService {
    /// True: the service refunds whole payments, each once, and names a refund by its payment alone. The id of a refund
    /// may be any text; the router makes no second one of the payment under another id. Servers that share no journal
    /// see only the service's mark: use the same id on all of them.
    public var refundsOnce: Bool { true }

    /// Marks a whole payment as refunded. According to the documentation, that alone moves no money: paying the buyer
    /// back is the merchant's task. (Protocol 5.)
    ///
    /// The call first gets the payment's price from the service, because the mark states no amount.
    ///
    /// - Parameters:
    ///   - request: the payment, and its whole price as in the order.
    ///   - context: the network and the durable steps.
    /// The mark names no caller. When it was set before, the receipt is ``PaymentReceipt/isEarlier``: by a request of
    /// this server whose answer was lost, or by another server. Record the payment to the buyer outside of the journal,
    /// by the payment's id, and look there before paying the buyer.
    ///
    /// - Returns: the report of the refund. An earlier refund by any caller counts as this one.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the mark may have been set.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(request.payment)
        let client = client(over: context.http, clock: context.clock)
        _ = try await context.step("find the payment", .query) {
            let price = try await client.price(of: id)
            guard price == request.amount, !price.isZero else {
                throw PaymentError(
                    .requestRefused,
                    "WalletConnect Pay refunds whole payments only, and the amount is not this payment's price",
                    provider: self.id)
            }
            return true
        }
        let isEarlier: Bool
        do {
            // A payment has one mark, so a second request finds that of the first: the payment is the key.
            isEarlier = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await mark(id, over: context.http)
            }
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == Self.notPaid {
            return .declined(DeclineReason(.refused, "only payments that succeeded can be refunded"))
        }
        return .succeeded(
            PaymentReceipt(reference: request.reference, amount: request.amount, isEarlier: isEarlier))
    }

    private static let notPaid = "payment_not_succeeded"

    /// Marks a payment as refunded.
    ///
    /// - Returns: true if it was marked before.
    private func mark(_ id: String, over http: any HTTPTransport) async throws(PaymentError) -> Bool {
        let answer: RefundBody
        do throws(GatewayError) { answer = try await api(http).refund(id) } catch {
            // Set before: by an earlier copy of this request, or by another caller of the same merchant.
            if case .refused(let refusal) = error, refusal.status == 409, refusal.code == "already_refunded" {
                return true
            }
            throw ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: true, at: self.id)
        }
        guard answer.paymentId == id else {
            throw PaymentError(
                .integrity, "WalletConnect Pay answered with the refund of another payment", provider: self.id,
                phase: .maybeSent)
        }
        return false
    }

    /// Returns an unknown report: the service has no inquiry about the mark, so only a repetition of the refund can
    /// settle it.
    ///
    /// - Returns: an unknown report.
    /// - Throws: nothing: no request is sent.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        .unknown(
            UnknownOutcome(
                reference: refund.reference,
                message: "WalletConnect Pay shows no refunds; ask for the same refund again, which makes it once"))
    }
}
