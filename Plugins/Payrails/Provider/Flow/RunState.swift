import PaymentCore
import Synchronization

/// The state of one run of a flow that no step stores.
final class RunState: Sendable {
    struct Content: Sendable {
        /// The address of the payment's status in the answer to the request to pay.
        var url: String?
        /// The statuses before the request to pay.
        var mark: StatusHistory.Mark?
        /// The key of the request to pay, from the time of sending it.
        var sentKey: String?
        /// The type of the payment that was begun.
        var type: Payrails.PaymentType?
        /// True if the payment is known to be begun.
        var hasBegun = false
        /// The kind of return URL by which the payer left the page.
        var left: ReturnURLs.Kind?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}

/// The state of a run, for the vendor's client.
extension PaymentFlow {
    /// True if the payment was begun, by this run or before it.
    package var hasBegun: Bool { state[\.hasBegun] }

    /// The statuses before the request to pay; nil until they are known.
    package var mark: StatusHistory.Mark? { state[\.mark] }

    /// The request to pay that this run sent.
    package var sent: Keys.Unanswered? {
        guard let key = state[\.sentKey], let mark = state[\.mark] else { return nil }
        return Keys.Unanswered(key: key, mark: mark)
    }

    /// Returns the cause of an error of the run, for the vendor's client.
    package func cause(of error: any Error) -> PayrailsError {
        switch error {
        case let error as PayrailsError: error
        case let error as PaymentError: error.cause as? PayrailsError ?? .unknown(error: error)
        case is CancellationError where !hasBegun:
            .unknown(error: self.error(.cancelled, "it was cancelled before anything was sent"))
        case is CancellationError: .pollingFailed("it was cancelled")
        default: .unknown(error: error)
        }
    }
}

/// Errors: the steps and the router receive ``PaymentError``, whose cause is the vendor's error.
extension PaymentFlow {
    /// Runs a call of the service.
    ///
    /// - Parameter isMutation: true if the call could move money.
    func call<Answer>(
        isMutation: Bool = false, _ call: () async throws(PayrailsError) -> Answer
    ) async throws -> Answer {
        do { return try await call() } catch { throw paymentError(from: error, isMutation: isMutation) }
    }

    /// Runs a query about a payment that was sent: if it fails, the payment's report is unknown.
    func waiting<Answer>(_ call: () async throws(PayrailsError) -> Answer) async throws -> Answer {
        do { return try await call() } catch {
            throw paymentError(from: error, isMutation: true).with(phase: .maybeSent)
        }
    }

    func paymentError(from error: PayrailsError, isMutation: Bool) -> PaymentError {
        PaymentError(error, isMutation: isMutation, at: payment.provider)
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        PaymentError(code, message, provider: payment.provider, phase: phase, cause: cause)
    }
}
