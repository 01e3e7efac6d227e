public import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

extension WalletConnectPayMerchant: RefundingService {
    /// Returns the refund of a payment: the only possible one.
    ///
    /// The service has refunds of whole payments only, each once, and identifies one by its payment alone. So does this
    /// library: a refund's id consists of its payment and amount, and only one amount is the price. A repetition, on
    /// any server, is the same refund.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - amount: its whole price, as in the order.
    public func refundRequest(of payment: PaymentReference, amount: Money) -> RefundRequest {
        RefundRequest(of: payment, amount: amount, id: Self.refundID(of: payment, amount))
    }

    private static func refundID(of payment: PaymentReference, _ amount: Money) -> String {
        "\(payment.id)/\(amount)"
    }

    /// Marks a whole payment as refunded. According to the documentation, that alone moves no money: paying the buyer
    /// back is the merchant's task. (Protocol 5.)
    ///
    /// The call first gets the payment's price from the service, because the mark states no amount.
    ///
    /// - Parameters:
    ///   - request: the whole payment; make it with ``refundRequest(of:amount:)``.
    ///   - context: the network and the durable steps.
    /// - Returns: the report of the refund. An earlier refund by any caller counts as this one.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the mark may have been set.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(request.payment)
        guard request.id == Self.refundID(of: request.payment, request.amount) else {
            throw PaymentError(
                .requestRefused,
                "WalletConnect Pay refunds whole payments, each once: make the request with refundRequest(of:amount:)",
                provider: self.id)
        }
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
        do {
            // A payment has one mark, so a second request finds that of the first: the payment is the key.
            _ = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await mark(id, over: context.http)
                return true
            }
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == Self.notPaid {
            return .declined(DeclineReason(.refused, "only payments that succeeded can be refunded"))
        }
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }

    private static let notPaid = "payment_not_succeeded"

    private func mark(_ id: String, over http: any HTTPTransport) async throws(PaymentError) {
        let answer: RefundBody
        do throws(GatewayError) { answer = try await api(http).refund(id) } catch {
            // Set before: by an earlier copy of this request, or by another caller of the same merchant.
            if case .refused(let refusal) = error, refusal.status == 409, refusal.code == "already_refunded" { return }
            throw ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: true, at: self.id)
        }
        guard answer.paymentId == id else {
            throw PaymentError(
                .integrity, "WalletConnect Pay answered with the refund of another payment", provider: self.id,
                phase: .maybeSent)
        }
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
