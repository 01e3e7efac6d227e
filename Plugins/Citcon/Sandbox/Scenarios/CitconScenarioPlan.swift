/// What a scenario makes the sandbox do. Everything not said is as with an ordinary charge.
struct CitconScenarioPlan: Sendable {
    /// A fault in place of, or after, the work of a confirmation.
    enum Fault: Sendable {
        case refusal(CitconRefusal)
        /// The work is done; the answer is an error.
        case refusalAfterwards(CitconRefusal)
        /// The work is done; the connection ends.
        case drop
        /// The launch payload cannot be read.
        case malformedPayload
        /// The work is done; the answer states another amount.
        case otherAmount
        /// The work is done; the answer names another order.
        case otherOrder
    }

    let summary: String
    let method: String
    var outcome = CitconSandbox.Scenario.Outcome.paid
    var currency = "USD"
    var country = "US"
    var amount: Int64 = 1250
    var autoCapture = true
    var fault: Fault?
    var isOver = false
    /// What the payer's wallet or page does whatever the payer wants.
    var act: CitconAct?
    var isPending = false
    var isPaidAtConfirm = false
    var losesReturn = false
    /// The page leads back with the name of another order.
    var returnsForeign = false
    /// For so many seconds after it was paid, nobody is told.
    var silence: Int64 = 0
    /// Cards without proof of identity are refused.
    var needsProof = false
}

extension CitconSandbox.Scenario {
    var plan: CitconScenarioPlan {
        switch self {
        case .wechatPay: .init(summary: "paid in WeChat", method: "wechatpay")
        case .alipay: .init(summary: "paid in Alipay", method: "alipay")
        case .unionPay: .init(summary: "paid in UnionPay's app", method: "upop")
        case .card: .init(summary: "paid by card", method: "card")
        case .cardWithProof:
            .init(summary: "paid by card, with proof of identity (3DS)", method: "card", needsProof: true)
        case .payPal: .init(summary: "paid with PayPal", method: "paypal")
        case .venmo: .init(summary: "paid with Venmo", method: "venmo")
        case .toss:
            .init(summary: "paid on a page of Toss", method: "toss", currency: "KRW", country: "KR", amount: 12000)
        case .alipayPlus:
            .init(summary: "paid on a page of Alipay+", method: "gcash", currency: "PHP", country: "PH", amount: 65000)
        case .payNow:
            .init(summary: "paid with PayNow, on a page or by a code", method: "paynow", currency: "SGD", country: "SG")
        case .xendit:
            .init(
                summary: "paid on a page of Xendit", method: "paymaya", currency: "PHP", country: "PH", amount: 65000)
        case .cashApp: .init(summary: "paid with Cash App", method: "cashapppay")
        case .klarna: .init(summary: "paid with Klarna", method: "klarna")
        case .paidAtConfirm:
            .init(
                summary: "paid as soon as it is confirmed", method: "grabpay", currency: "SGD", country: "SG",
                isPaidAtConfirm: true)
        case .authorizeOnly:
            .init(summary: "set aside, not taken before the merchant does", method: "paypal", autoCapture: false)
        case .declined: .init(summary: "the card is refused", method: "card", outcome: .declined, act: .fail)
        case .cancelledInWeChat:
            .init(summary: "given up in WeChat", method: "wechatpay", outcome: .cancelled, act: .cancel)
        case .cancelledInAlipay:
            .init(summary: "given up in Alipay", method: "alipay", outcome: .cancelled, act: .cancel)
        case .cancelledOnPage:
            .init(
                summary: "called off on the payment page", method: "toss", outcome: .cancelled, currency: "KRW",
                country: "KR", amount: 12000, act: .cancel)
        case .pending:
            .init(summary: "Alipay cannot say how it ends", method: "alipay", outcome: .pending, isPending: true)
        case .expired: .init(summary: "its time is over", method: "alipay", outcome: .expired, isOver: true)
        case .interrupted:
            .init(summary: "paid, but the payer never comes back", method: "wechatpay", losesReturn: true)
        default: faultyPlan
        }
    }

    private var faultyPlan: CitconScenarioPlan {
        switch self {
        case .duplicateReference:
            .init(
                summary: "its reference was used before", method: "alipay", outcome: .error, fault: .refusal(.duplicate)
            )
        case .expiredToken:
            .init(
                summary: "the access token is no longer good", method: "alipay", outcome: .error,
                fault: .refusal(.unauthorized))
        case .unsupportedGateway:
            .init(summary: "no gateway serves its method", method: "google", outcome: .error)
        case .gatewayTimeout:
            .init(
                summary: "the gateway answers too late, and charges the card", method: "card",
                fault: .refusalAfterwards(.gatewayTimeout))
        case .gatewayUnavailable:
            .init(
                summary: "the gateway cannot be reached", method: "card", outcome: .error,
                fault: .refusal(.gatewayUnavailable))
        case .gatewayError:
            .init(summary: "the gateway fails", method: "card", outcome: .error, fault: .refusal(.gatewayError))
        case .malformedPayload:
            .init(
                summary: "what WeChat is started with is broken", method: "wechatpay", outcome: .error,
                fault: .malformedPayload)
        case .otherAmount:
            .init(
                summary: "the confirmation states another amount", method: "wechatpay", outcome: .error,
                fault: .otherAmount)
        case .otherOrder:
            .init(summary: "the card is charged, another order named", method: "card", fault: .otherOrder)
        case .statusRefused:
            .init(
                summary: "paid, and nobody is told for ten minutes", method: "wechatpay", outcome: .error, silence: 600)
        case .foreignReturn:
            .init(
                summary: "paid on a page that leads back for another order", method: "toss", currency: "KRW",
                country: "KR", amount: 12000, returnsForeign: true)
        default: .init(summary: "the answer is lost, the card charged", method: "card", fault: .drop)
        }
    }
}
