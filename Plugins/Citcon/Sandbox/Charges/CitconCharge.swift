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
    /// True if the payer's account is to be stored after payment; `maskedPAN` and `cardExpiry` are then shown of it.
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
