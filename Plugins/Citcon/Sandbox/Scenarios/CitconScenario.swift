extension CitconSandbox {
    /// What a charge of the sandbox does.
    @nonexhaustive
    public enum Scenario: String, Sendable, Hashable, CaseIterable {
        /// Paid in WeChat.
        case wechatPay = "wechatpay"
        /// Paid in Alipay.
        case alipay
        /// Paid in UnionPay's app.
        case unionPay = "unionpay"
        /// Paid by card: a nonce of the card is charged.
        case card
        /// Paid by card, whose owner has to prove it is them.
        case cardWithProof = "card-with-proof"
        /// Paid with PayPal.
        case payPal = "paypal"
        /// Paid with Venmo.
        case venmo
        /// Paid on a page of Toss in Korea.
        case toss
        /// Paid on a page of Alipay+.
        case alipayPlus = "alipay-plus"
        /// Paid with PayNow in Singapore: a page or a code to scan.
        case payNow = "paynow"
        /// Paid on a page of Xendit in the Philippines.
        case xendit
        /// Paid with Cash App.
        case cashApp = "cash-app"
        /// Paid with Klarna.
        case klarna
        /// Confirming is all that it takes.
        case paidAtConfirm = "paid-at-confirm"
        /// The money is set aside and not taken before the merchant captures it.
        case authorizeOnly = "authorize-only"
        /// The card is refused.
        case declined
        /// The payer gives up in WeChat, which says `-2`.
        case cancelledInWeChat = "cancelled-in-wechat"
        /// The payer gives up in Alipay, which says `6001`.
        case cancelledInAlipay = "cancelled-in-alipay"
        /// The payer calls it off on the payment page.
        case cancelledOnPage = "cancelled-on-page"
        /// Alipay has it and cannot say how it ends.
        case pending
        /// Its time is over.
        case expired
        /// The payer pays in WeChat and never comes back.
        case interrupted
        /// Its reference was used before (4100).
        case duplicateReference = "duplicate-reference"
        /// The access token ends before it is confirmed (4010).
        case expiredToken = "expired-token"
        /// No gateway serves its method (5200).
        case unsupportedGateway = "unsupported-gateway"
        /// The gateway's answer is late (4105): the card was charged.
        case gatewayTimeout = "gateway-timeout"
        /// The gateway cannot be reached (4106): nothing was charged.
        case gatewayUnavailable = "gateway-unavailable"
        /// The gateway fails (4107): nothing was charged.
        case gatewayError = "gateway-error"
        /// What WeChat is to be started with cannot be read.
        case malformedPayload = "malformed-payload"
        /// The connection ends before the answer to the confirmation: the card was charged.
        case lostAnswer = "lost-answer"
        /// The answer to the confirmation states another amount: nobody may be sent to pay that.
        case otherAmount = "other-amount"
        /// The answer to the confirmation names another order: the card was charged.
        case otherOrder = "other-order"
        /// Inquiries are refused (451) for a minute after it was paid.
        case statusRefused = "status-refused"
        /// Paid on a page that leads back with the name of another order.
        case foreignReturn = "foreign-return"
    }

    /// A charge that can be paid, or not, by its link.
    public struct Charge: Sendable, Hashable {
        /// The charge token: what confirms it.
        public let token: String
        /// Citcon's id of the charge.
        public let id: String
        /// The merchant's reference.
        public let reference: String
        /// A few words for people.
        public let title: String
        /// A link with everything an app needs to pay it.
        public let link: String
        /// What it does.
        public let scenario: Scenario
    }
}

extension CitconSandbox.Scenario {
    /// How a payment ends, seen from a payer who wants to pay.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The money arrived, or was set aside.
        case paid
        /// It was refused.
        case declined
        /// Its time ran out.
        case expired
        /// Somebody called it off.
        case cancelled
        /// It is not decided when the payer is back.
        case pending
        /// A request is refused, or an answer unusable, in a way that says nothing about the payment: it stays open.
        case error
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// How it ends for a payer who wants to pay, can do everything, and asks the service when nothing else tells.
    public var expectedOutcome: Outcome { plan.outcome }

    /// The payment method of its charge.
    public var method: String { plan.method }
}
