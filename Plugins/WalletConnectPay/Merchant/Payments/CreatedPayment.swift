public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// A created payment, for the buyer to pay.
    public struct CreatedPayment: Sendable, Hashable {
        /// The payment's reference in routers and journals.
        public let reference: PaymentReference
        /// The link for the buyer's wallet, also to be shown as a QR code.
        public let link: String
        /// The expiry of the payment.
        public let expiresAt: Date
        /// The service's raw status. A repeated order may be paid already.
        public let rawStatus: String

        init(_ body: CreatedBody, at merchant: WalletConnectPayMerchant) throws(PaymentError) {
            func failure(_ text: String) -> PaymentError {
                PaymentError(.integrity, text, provider: merchant.id, phase: .maybeSent)
            }
            let reference = PaymentReference(provider: merchant.id, id: body.paymentId)
            guard (try? merchant.paymentID(reference)) != nil else {
                throw failure("WalletConnect Pay made a payment with an id that none of its calls take")
            }
            // Buyers are shown no link that leads elsewhere, or to another payment.
            let match = (try? PaymentLink(body.gatewayUrl)).flatMap { LinkReading.routed($0) }
            guard match?.trust == .verified, match?.reference == body.paymentId else {
                throw failure("WalletConnect Pay made a payment whose link does not lead to it")
            }
            self.reference = reference
            link = body.gatewayUrl
            expiresAt = Date(timeIntervalSince1970: Double(body.expiresAt))
            rawStatus = body.status.printable
        }
    }

    /// A merchant's view of a payment at the service.
    public struct PaymentView: Sendable, Hashable {
        /// The payment's reference in routers and journals.
        public let payment: PaymentReference
        /// The merchant's own reference of the order.
        public let reference: String
        /// The service's raw status.
        public let rawStatus: String
        /// The report.
        public let report: ServiceReport
        /// The transaction that paid the merchant out, once there is one.
        public let settlementTransactionID: String?

        init(_ body: ViewBody, of payment: PaymentReference) {
            self.payment = payment
            reference = body.referenceId
            rawStatus = body.status.printable
            report =
                StatusBody(
                    status: body.status, isFinal: body.status.isFinal, info: body.info, failureCode: body.failureCode
                ).report(of: payment)
            settlementTransactionID = body.settlement?.successful?.txId
        }
    }
}
