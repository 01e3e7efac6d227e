import PaymentCore
package import PayrailsTypes
import Synchronization

/// The state of one run of a flow that no step stores.
final class RunState: Sendable {
    struct Content: Sendable {
        /// Where the answer to the request to pay says that the payment can be asked about.
        var url: String?
        /// What there was before the request to pay.
        var mark: StatusHistory.Mark?
        /// The key of the request to pay, once it is on its way.
        var sentKey: String?
        /// What kind of payment was begun.
        var type: Payrails.PaymentType?
        /// Whether the payment was begun, so far as is known.
        var hasBegun = false
        /// By which page the payer left.
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
    /// Whether the payment was begun, by this run or before it.
    package var hasBegun: Bool { state[\.hasBegun] }

    /// What there was before the request to pay, once that is known.
    package var mark: StatusHistory.Mark? { state[\.mark] }

    /// The request to pay that this run sent.
    package var sent: Keys.Unanswered? {
        guard let key = state[\.sentKey], let mark = state[\.mark] else { return nil }
        return Keys.Unanswered(key: key, mark: mark)
    }

    /// Reads an error that came out of the run: what stands behind the router's error, for the vendor's client.
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

/// Errors: the steps and the router see ``PaymentError``, whose cause is the vendor's.
extension PaymentFlow {
    /// Runs a call of the service.
    ///
    /// - Parameter isMutation: whether it could move money.
    func call<Answer>(
        isMutation: Bool = false, _ call: () async throws(PayrailsError) -> Answer
    ) async throws -> Answer {
        do { return try await call() } catch { throw paymentError(from: error, isMutation: isMutation) }
    }

    /// Runs a question about a payment that was sent: its failure leaves the payment's fate open.
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
