import PaymentCore

/// The display names and usual needs of payment methods. The set is open: an unknown method counts as paid on a page
/// until the service says otherwise.
enum Methods {
    /// Returns the method's usual need; the gateway decides in the end.
    static func need(of method: String) -> PayerNeed {
        apps[method].map { .app(name: $0) } ?? .page
    }

    /// The method's name.
    static func title(of method: String) -> String { titles[method] ?? apps[method] ?? method }

    private static let apps = [
        "wechatpay": "WeChat Pay", "alipay": "Alipay", "upop": "UnionPay", "card": "Braintree",
        "paypal": "Braintree", "venmo": "Braintree", "cashapppay": "Cash App",
    ]

    private static let titles = [
        "card": "Card", "paypal": "PayPal", "venmo": "Venmo", "cashapppay": "Cash App Pay", "alipay+": "Alipay+",
        "alipay_hk": "AlipayHK", "toss": "Toss", "kakaopay": "KakaoPay", "naverpay": "Naver Pay", "gcash": "GCash",
        "dana": "DANA", "tng": "Touch 'n Go", "grabpay": "GrabPay", "shopeepay": "ShopeePay", "paynow": "PayNow",
        "paymaya": "Maya", "atome": "Atome", "truemoney": "TrueMoney", "rabbit_line_pay": "Rabbit LINE Pay",
        "lpay": "L.Pay", "lgpay": "LG Pay", "samsungpay": "Samsung Pay", "banktransfer": "Bank transfer",
        "klarna": "Klarna", "payco": "PAYCO", "linepay": "LINE Pay", "paypay": "PayPay", "rakutenpay": "Rakuten Pay",
        "boost": "Boost", "netspay": "NETS", "bpi": "BPI", "ubp": "UnionBank", "oxxo": "OXXO", "oxxopay": "OXXO Pay",
        "spei": "SPEI", "mercadopago": "Mercado Pago", "afterpay": "Afterpay", "affirm": "Affirm", "ozow": "Ozow",
        "m_pesa": "M-PESA", "upi": "UPI", "pix": "Pix", "paze": "Paze", "hpp": "Citcon's payment page",
        "flexa": "Flexa", "paylater": "PayPal Pay Later", "billease": "BillEase", "cashalo": "Cashalo",
    ]
}
