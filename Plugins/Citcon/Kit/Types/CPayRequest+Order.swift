package import CitconProvider
import PaymentCore

extension Order {
    /// Creates a copy of an order of the vendor's client.
    package init(_ request: CPayRequest) {
        self.init(
            method: request.payment?.method, reference: request.transaction.reference,
            amount: request.transaction.amount, currency: request.transaction.currency,
            country: request.transaction.country, chargeToken: request.chargeToken.map { Redacted($0) },
            consumer: (request.consumer?.reference).map { Redacted($0) }, scheme: request.scheme,
            universalLink: request.universalLink, unionPayMode: request.unionpayMode,
            wants3DSecure: request.request3DSecureVerification, payPalClientID: request.paypalClientId,
            pages: Set([request.urls.success, request.urls.fail, request.urls.cancel].compactMap(\.self)),
            body: request.body)
    }
}
