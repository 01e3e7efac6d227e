import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import PayrailsMerchant

/// A shop's server: it opens sessions for its app, receives notifications, captures the money, and refunds it. It has
/// the credentials that no app may have.
actor Shop: SandboxService {
    private let merchant: PayrailsMerchant
    private let router: PaymentRouter
    private var records: [String: PayrailsPaymentState] = [:]

    init(at service: HTTPURL) throws {
        merchant = PayrailsMerchant(
            endpoint: try PayrailsEndpoint(baseURL: service.origin),
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Redacted("sandbox-secret")),
            captureMode: .manual, notificationSecrets: [Redacted("sandbox-webhook-secret")])
        // A real shop keeps its journal in a file: `SQLiteJournal`.
        router = PaymentRouter(
            registry: try ProviderRegistry([merchant]), transport: StandardTransport(), journal: InMemoryJournal())
    }

    private var client: PayrailsMerchantClient {
        merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
    }

    // MARK: For its app

    /// Returns the session for the app. A repeated call for an order returns the same payment.
    func checkOut(_ order: String, _ amount: Money) async throws -> PayrailsOpenSession {
        let session = try await client.open(PayrailsSessionOrder(order: order, holder: "customer-1", amount: amount))
        if let payment = session.payment, records[payment.id] == nil {
            records[payment.id] = PayrailsPaymentState(execution: payment.id, amount: amount)
        }
        return session
    }

    // MARK: For its staff

    func capture(_ payment: PaymentReference, _ amount: Money) async throws -> PaymentOutcome {
        try await router.capture(CaptureRequest(of: payment, amount: amount))
    }

    func refund(_ payment: PaymentReference, _ amount: Money, creditNote: String) async throws -> PaymentOutcome {
        try await router.refund(RefundRequest(of: payment, amount: amount, id: creditNote))
    }

    func cancel(_ payment: PaymentReference) async throws -> PaymentOutcome { try await router.cancel(payment) }

    /// Returns the payment's stage, by the notifications about it, and its refunds.
    func record(_ payment: PaymentReference) -> String {
        guard let record = records[payment.id] else { return "unknown" }
        let refunds = record.refunds.filter(\.value).keys.sorted()
        return record.stage.rawValue + (refunds.isEmpty ? "" : ", refunded by \(refunds.joined(separator: ", "))")
    }

    // MARK: For the service

    /// Handles notifications. 200 means that the notification is stored.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let incoming = IncomingNotification(headers: request.headers, body: request.body)
        do {
            let notification = try merchant.read(incoming)
            if let execution = notification.execution { _ = records[execution]?.apply(notification) }
            // Refunds in flight in the journal are completed by it, too.
            _ = try await router.handle(incoming, from: merchant.id)
            return HTTPResponse(status: 200)
        } catch {
            // A notification that could not be stored is sent again.
            return HTTPResponse(status: error.code == .untrustedNotification ? 400 : 503)
        }
    }
}
