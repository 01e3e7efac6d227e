import PaymentCore

/// A charge inside the sandbox.
struct CitconCharge: Sendable {
    enum Status: String, Sendable {
        case initiated, pending, authorized, succeeded, failed, canceled, expired

        var isFinal: Bool {
            switch self {
            case .initiated, .pending, .authorized: false
            case .succeeded, .failed, .canceled, .expired: true
            }
        }

        /// Returns true if a charge in this state can change to `next`. Final states never change.
        func allows(_ next: Status) -> Bool {
            switch self {
            case .initiated: next != .initiated
            case .pending: next != .initiated && next != .pending
            case .authorized: next.isFinal
            case .succeeded, .failed, .canceled, .expired: false
            }
        }
    }

    /// The addresses for notifications and for returning payers.
    struct URLs: Sendable {
        var ipn: String?
        var success: String?
        var fail: String?
        var cancel: String?
    }

    /// A capture or a refund.
    struct Movement: Sendable {
        let id: String
        let reference: String
        let amount: Int64
        /// Unix seconds.
        let time: Int64
    }

    /// A payer's dispute.
    struct Dispute: Sendable {
        let id: String
        let stage: CitconSandbox.DisputeStage
        /// Unix seconds.
        let time: Int64
    }

    /// A page of the charge, as listed in `payment.client`.
    struct Page: Sendable {
        let client: String
        let format: String
        let id: String
    }

    let token: String
    let id: String
    let reference: String
    let amount: Int64
    let currency: String
    let country: String
    let autoCapture: Bool
    var method: String?
    var urls: URLs
    var isAccelerated = false
    /// Unix seconds, as are all times here.
    let createdAt: Int64
    var expiresAt: Int64
    var pendingUntil: Int64?
    var capturedAt: Int64?
    var canceledAt: Int64?
    var status = Status.initiated
    var amountCaptured: Int64 = 0
    var captures: [Movement] = []
    var refunds: [Movement] = []
    /// The payer's dispute with its current stage.
    var dispute: Dispute?
    /// The merchant's own id of the payer.
    var consumer: String?
    /// True if the payer's account is to be stored after payment. `maskedPAN` and `cardExpiry` are then shown of it.
    var wantsToken = false
    var maskedPAN = ""
    var cardExpiry = ""
    /// The id of the account that was stored, or that it was paid with.
    var stored: String?
    var pages: [Page] = []
    var launch: CitconLaunch?
    /// The scenario; nil for a charge made by a request.
    var scenario: CitconSandbox.Scenario?
    var plan: CitconSandbox.Scenario.Plan?

    var amountRefunded: Int64 { refunds.reduce(0) { $0 + $1.amount } }

    /// The price; nil in a currency that ISO 4217 does not know.
    var money: Money? {
        (try? FiatCurrency(currency)).flatMap { code in
            UInt128(exactly: amount).flatMap { try? Money(minorUnits: $0, currency: .fiat(code)) }
        }
    }

    /// Returns the amount in the notation of ledgers.
    func worth(_ amount: Int64) -> String { "\(amount) iso4217/\(currency)" }
}

/// A factory of ids in the service's formats.
struct CitconIDs: Sendable {
    let layer: CitconSandbox.Layer
    let random: any RandomSource

    /// Returns the id of a charge or of a refund.
    func transaction() -> String {
        guard layer == .recent else { return uuid() }
        return "2000" + (0..<18).map { _ in String(random.next() % 10) }.joined()
    }

    /// Returns text in the form of a time-based UUID without its hyphens.
    func uuid() -> String { random.hex(12) + "11f0" + "8" + random.hex(15) }

    /// Returns `count` consecutive ids of this form.
    func uuids(_ count: Int) -> [String] {
        let start = UInt32(truncatingIfNeeded: random.next())
        let rest = random.hex(4) + "11f0" + "8" + random.hex(15)
        return (0..<count).map { index in
            let head = String(start &+ UInt32(index), radix: 16)
            return String(repeating: "0", count: 8 - head.count) + head + rest
        }
    }
}

// MARK: - Methods

/// The gateway that serves a payment method. The names are those that the vendor's app library looks up, except for
/// this sandbox's own `ppcp`, `ebanx` and `hosted`.
enum CitconGateway: String, Sendable {
    case wechatpay, alipay, upop, toss, aps, fomo, xendit, cashapp, klarna, flexa, braintree, ppcp, ebanx, hosted

    /// Creates the gateway of `method`; nil when there is none.
    init?(method: String, country: String? = nil) {
        if method == "card" {
            switch country {
            case "KR": self = .toss
            case "SG": self = .fomo
            case "PH": self = .xendit
            default: self = .braintree
            }
            return
        }
        guard let known = CitconMethod.all[method] else { return nil }
        self = known.gateway
    }

    /// Returns true if money is captured without a second request when the charge does not specify it.
    static func capturesByDefault(_ method: String?) -> Bool { method != "paypal" }
}

/// A payment method, as the sandbox serves it.
struct CitconMethod: Sendable {
    let id: String
    let gateway: CitconGateway
    /// True if `consults` lists it.
    var consults = false
    /// True if an account of this method can be stored.
    var vaults = false

    /// Every method by its id.
    static let all = Dictionary(uniqueKeysWithValues: (documented + others).map { ($0.id, $0) })

    /// The 47 methods of the public interface (Protocol 3.1).
    static let documented: [CitconMethod] =
        [
            CitconMethod(id: "card", gateway: .braintree, consults: true, vaults: true),
            CitconMethod(id: "paypal", gateway: .braintree, vaults: true),
            CitconMethod(id: "venmo", gateway: .braintree, vaults: true),
            CitconMethod(id: "cashapppay", gateway: .cashapp, vaults: true),
            CitconMethod(id: "wechatpay", gateway: .wechatpay),
            CitconMethod(id: "alipay", gateway: .alipay, consults: true), CitconMethod(id: "upop", gateway: .upop),
            CitconMethod(id: "klarna", gateway: .klarna),
        ] + list(.toss, ["toss", "naverpay", "payco"])
        + list(.toss, ["banktransfer", "lpay", "lgpay", "samsungpay"], consults: true)
        + list(
            .aps,
            [
                "alipay_hk", "dana", "gcash", "tng", "boost", "truemoney", "rabbit_line_pay", "linepay", "paypay",
                "rakutenpay",
            ]) + list(.aps, ["alipay+", "kakaopay"], consults: true)
        + list(.fomo, ["grabpay", "shopeepay", "atome", "paynow", "netspay"]) + list(.xendit, ["bpi"])
        + list(.xendit, ["paymaya", "ubp"], consults: true)
        + list(.ebanx, ["oxxo", "oxxopay", "spei", "mercadopago"])
        + list(.hosted, ["afterpay", "affirm", "ozow", "m_pesa", "upi", "pix", "paze", "hpp"])

    /// Methods that are known from other sources.
    static let others =
        list(.xendit, ["billease", "cashalo"]) + list(.flexa, ["flexa"]) + list(.ppcp, ["paylater"])

    private static func list(
        _ gateway: CitconGateway, _ ids: [String], consults: Bool = false
    ) -> [CitconMethod] {
        ids.map { CitconMethod(id: $0, gateway: gateway, consults: consults) }
    }
}

extension CitconSandbox {
    /// The ids of the 47 payment methods of the public interface. All of them can be paid here.
    public static let documentedMethods = CitconMethod.documented.map(\.id)
}

/// An act of a payer with a payment in a wallet or on a page.
enum CitconAct: String, Sendable {
    case pay, cancel, fail
}
