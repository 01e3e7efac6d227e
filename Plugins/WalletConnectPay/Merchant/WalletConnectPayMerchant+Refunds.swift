public import PaymentCore
import WalletConnectPayProvider

extension WalletConnectPayMerchant: RefundingService {
    /// Returns the refund of a payment: the only one that there can be.
    ///
    /// The service knows of whole payments given back, each once, and by no name but the payment's. So does this
    /// library: a refund is called by its payment and amount, and only one amount is the price. Whoever asks again, on
    /// whichever server, asks for the same refund.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - amount: its whole price, as it was ordered.
    public func refundRequest(of payment: PaymentReference, amount: Money) -> RefundRequest {
        RefundRequest(of: payment, amount: amount, id: Self.refundID(of: payment, amount))
    }

    private static func refundID(of payment: PaymentReference, _ amount: Money) -> String {
        "\(payment.id)/\(amount)"
    }

    /// Marks a whole payment as refunded. By what is published no money moves by that alone: paying the buyer back is
    /// the merchant's. (Protocol 5.)
    ///
    /// The service is asked first what the payment's price was: it marks without being told an amount.
    ///
    /// - Parameters:
    ///   - request: the whole payment; make it with ``refundRequest(of:amount:)``.
    ///   - context: network and durable steps.
    /// - Returns: what has become of the refund. One that was made before, by whomever, is made.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the mark may have been set.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        let id = try paymentID(request.payment)
        guard request.id == Self.refundID(of: request.payment, request.amount) else {
            throw PaymentError(
                .requestRefused,
                "WalletConnect Pay gives back whole payments, each once: make the request with refundRequest(of:amount:)",
                provider: self.id)
        }
        let client = client(over: context.http, clock: context.clock)
        _ = try await context.step("find the payment", .query) {
            let price = try await client.price(of: id)
            guard price == request.amount, !price.isZero else {
                throw PaymentError(
                    .requestRefused,
                    "WalletConnect Pay gives back whole payments only, and the amount is not this payment's price",
                    provider: self.id)
            }
            return true
        }
        do {
            // A payment has one mark, so the second request for it finds that of the first: the payment is the key.
            _ = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await mark(id, over: context.http)
                return true
            }
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == Self.notPaid {
            return .declined(DeclineReason(.refused, "only payments that succeeded can be given back"))
        }
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }

    private static let notPaid = "payment_not_succeeded"

    private func mark(_ id: String, over http: any HTTPTransport) async throws(PaymentError) {
        let answer: RefundBody
        do throws(GatewayError) { answer = try await api(http).refund(id) } catch {
            // Set before: by an earlier copy of this request, or by somebody else of the same merchant.
            if case .refused(let refusal) = error, refusal.status == 409, refusal.code == "already_refunded" { return }
            throw ErrorTable.walletConnectPayMerchant.paymentError(from: error, isMutation: true, at: self.id)
        }
        guard answer.paymentId == id else {
            throw PaymentError(
                .integrity, "WalletConnect Pay answered with the refund of another payment", provider: self.id,
                phase: .maybeSent)
        }
    }

    /// Says that only asking for the refund again can tell: no question shows the service's mark.
    ///
    /// - Returns: unknown.
    /// - Throws: nothing: no question is asked.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: refund.reference,
                message: "WalletConnect Pay shows no refunds; ask for the same refund again, which makes it once"))
    }
}
