public import PaymentCore
import ServiceSupport
import WalletConnectPayProvider

/// WalletConnect Pay on a merchant's server: inquires about payments, cancels them, marks them as refunded and reads
/// webhooks. Its ``client(over:clock:)`` creates payments, its ``accounts(over:)`` manages merchants and their
/// settlements.
///
/// Payments are named by the service's ids (`pay_…`). The partner's API key is part of this value, so it has no place
/// in an app. Payers pay with `WalletConnectPayProvider`, which needs no such key. Both can be registered together, and
/// share a journal. (Protocol 1.)
public struct WalletConnectPayMerchant: PaymentService {
    /// `walletconnect-pay-merchant`, the default id of a merchant.
    public static let id: ProviderID = "walletconnect-pay-merchant"
    /// The API's address, for both environments.
    public static let productionURL = GatewayConfiguration.productionURL

    /// The merchant's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    /// The service's own id of the merchant.
    public let merchantID: String
    /// The environment of its key, test or live.
    public var mode: Mode { key.mode }
    let key: Key
    let secrets: [WebhookSecret]
    let baseURL: HTTPURL
    let timeout: Duration
    let clock: any PaymentClock

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: unique for each merchant or environment in one registry or journal, and permanent.
    ///   - merchantID: the service's id of the merchant, such as `mrch_…`.
    ///   - key: the partner's API key. It decides between test and live.
    ///   - webhookSecrets: the secrets of the same environment's webhook endpoint; two while one replaces the other,
    ///     none if no webhooks are read.
    ///   - baseURL: the address of the service; another one for a sandbox.
    ///   - timeout: the time allowed for one request, not counting the time that the service may hold it.
    ///   - clock: determines the age of a webhook.
    /// - Throws: ``PaymentError`` when the merchant's id or the address cannot be used.
    public init(
        id: ProviderID = WalletConnectPayMerchant.id, merchantID: String, key: Key,
        webhookSecrets: [WebhookSecret] = [], baseURL: String = WalletConnectPayMerchant.productionURL,
        timeout: Duration = .seconds(30), clock: any PaymentClock = SystemPaymentClock()
    ) throws(PaymentError) {
        self.id = id
        self.merchantID = try Self.checked(merchantID, "the merchant's id", at: id)
        self.key = key
        secrets = webhookSecrets
        do { self.baseURL = try HTTPURL(service: baseURL) } catch {
            throw PaymentError(.requestRefused, "the service's address cannot be used: \(error)", provider: id)
        }
        self.timeout = timeout
        self.clock = clock
    }

    /// Returns the client for calls other than those about an existing payment.
    ///
    /// - Parameters:
    ///   - http: sends the requests.
    ///   - clock: measures the waits.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> Client {
        Client(merchant: self, api: api(http), clock: clock)
    }

    /// Returns the calls about the partner's merchants and their settlement destinations.
    ///
    /// - Parameter http: sends the requests.
    public func accounts(over http: any HTTPTransport) -> Accounts { Accounts(service: id, api: api(http)) }

    func api(_ http: any HTTPTransport) -> MerchantAPI {
        MerchantAPI(baseURL: baseURL, key: key.text, merchantID: merchantID, http: http, timeout: timeout)
    }

    /// Returns an id of the service that is sent in a header field or a path.
    static func checked(_ text: String, _ what: String, at provider: ProviderID) throws(PaymentError) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0) }
        guard !text.isEmpty, text.utf8.count <= 256, isPlain, text != ".", text != ".." else {
            throw PaymentError(
                .requestRefused, "\(what) has to be letters, digits and - _ . : (at most 256)", provider: provider)
        }
        return text
    }

    /// Returns a payment's id, as the service's own calls take it: `pay_`, letters and digits, at most 64 characters.
    func paymentID(_ payment: PaymentReference) throws(PaymentError) -> String {
        let id = payment.id
        let isPlain = id.utf8.dropFirst(4).allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
        guard payment.provider == self.id, id.hasPrefix("pay_"), (5...64).contains(id.utf8.count), isPlain else {
            throw PaymentError(
                .requestRefused, "payments of WalletConnect Pay are called pay_ and up to 60 letters and digits",
                provider: self.id)
        }
        return id
    }

    /// The merchant's identity. It claims no links. A refund is permanently identified by its payment.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "WalletConnect Pay for merchants", outboundHosts: [baseURL.authority])
    }

    /// Asks for the status of a payment.
    ///
    /// - Returns: the report, as reported by the service.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(payment)
        return try await asMerchant(self.id) { () throws(GatewayError) in try await api(context.http).status(id) }
            .report(of: payment)
    }
}

extension WalletConnectPayMerchant: CancellingService {
    /// Cancels a payment whose buyer has not begun to pay, and asks for the report.
    ///
    /// - Returns: the report of the payment.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let id = try paymentID(payment)
        let api = api(context.http)
        let before = try await asMerchant(self.id) { () throws(GatewayError) in try await api.status(id) }
        guard !before.isFinal else { return before.report(of: payment) }
        do {
            _ = try await context.step("cancel", .mutation(replay: .never)) {
                let answer = try await asMerchant(self.id, isMutation: true) { () throws(GatewayError) in
                    try await api.cancel(id)
                }
                try answer.check(against: id, at: self.id)
                return true
            }
        } catch let failure as PaymentError {
            // Paid just now, cancelled before, or the answer was lost: the payment's own state decides.
            guard let after = try? await api.status(id), after.isFinal else { throw failure }
            return after.report(of: payment)
        }
        do { return try await status(of: payment, in: context) } catch let error as PaymentError {
            // The inquiry failed after the cancellation succeeded.
            throw error.with(
                message: "the payment was cancelled, but its state is not known: \(error.message)", phase: .maybeSent,
                retry: .later)
        }
    }
}

extension WalletConnectPayMerchant: RefundingService {
    /// True: the service refunds whole payments, each once, and names a refund by its payment alone. The id of a refund
    /// may be any text. The router makes no second refund of the payment under another id. Servers that share no
    /// journal see only the service's mark: use the same id on all of them.
    public var refundsOnce: Bool { true }

    /// Marks a whole payment as refunded. According to the documentation, that alone moves no money: paying the buyer
    /// back is the merchant's task. (Protocol 5.)
    ///
    /// The call first gets the payment's price from the service, because the mark states no amount.
    ///
    /// The mark names no caller. If it was set before, by a request of this server whose answer was lost or by another
    /// server, the receipt is ``PaymentReceipt/isEarlier``. Record the payment to the buyer outside of the journal, by
    /// the payment's id, and look there before paying the buyer.
    ///
    /// - Parameters:
    ///   - request: the payment, and its whole price as in the order.
    ///   - context: the network and the durable steps.
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
            // A payment can have one mark only, so a second request finds that of the first.
            isEarlier = try await context.step("refund", .mutation(replay: .atAnyTime)) {
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

extension WalletConnectPayMerchant {
    /// The service's environment, test or live. The two share addresses and nothing else: neither sees the other's
    /// data.
    @nonexhaustive
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// No money moves.
        case test
        /// Real money.
        case live
    }

    /// An API key. It acts for a partner's whole account, including all merchants in it, so it has no place in an app.
    public struct Key: Sendable, Hashable {
        /// The environment of the key: the service encodes it only in the key's prefix.
        public let mode: Mode
        let text: Redacted<String>

        /// Creates a key: `wcp_test_…` for the test environment, any other `wcp_…` for real money.
        ///
        /// - Throws: ``PaymentError`` with code `unauthorized` when the text is not such a key. The error does not
        ///   contain the text.
        public init(_ text: Redacted<String>) throws(PaymentError) {
            let key = text.reveal()
            let beginning = key.hasPrefix("wcp_test_") ? "wcp_test_" : "wcp_"
            let isPlain = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard key.hasPrefix("wcp_"), key.utf8.count > beginning.utf8.count, key.utf8.count <= 512, isPlain else {
                throw PaymentError(
                    .unauthorized, "this is no API key of WalletConnect Pay: they begin with wcp_test_ or wcp_")
            }
            mode = beginning == "wcp_" ? .live : .test
            self.text = text
        }
    }
}
