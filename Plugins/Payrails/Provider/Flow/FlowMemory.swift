import PaymentCore
package import PayrailsTypes
import Synchronization

/// What one run of a flow remembers and no step stores.
final class FlowMemory: Sendable {
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
        /// What stands behind errors, in the vendor's words.
        var causes: [PaymentError: PayrailsError] = [:]
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }

    /// Notes what stands behind `error`.
    func note(_ cause: PayrailsError?, behind error: PaymentError) { content.withLock { $0.causes[error] = cause } }

    /// What stands behind `error`.
    func cause(of error: PaymentError) -> PayrailsError? { content.withLock { $0.causes[error] } }
}

/// What the vendor's client wants to know of a run.
extension PaymentFlow {
    /// Whether the payment was begun, by this run or before it.
    package var hasBegun: Bool { memory[\.hasBegun] }

    /// What there was before the request to pay, once that is known.
    package var mark: StatusHistory.Mark? { memory[\.mark] }

    /// The request to pay that this run sent.
    package var sent: Keys.Unanswered? {
        guard let key = memory[\.sentKey], let mark = memory[\.mark] else { return nil }
        return Keys.Unanswered(key: key, mark: mark)
    }

    /// What stopped the run, in the vendor's words, when `error` came out of it.
    package func cause(of error: any Error) -> PayrailsError {
        switch error {
        case let error as PayrailsError: return error
        case let error as PaymentError: return memory.cause(of: error) ?? .unknown(error: error)
        case is CancellationError where !hasBegun:
            return .unknown(error: self.error(.cancelled, "it was called off before anything was sent"))
        case is CancellationError: return .pollingFailed("it was called off")
        default: return .unknown(error: error)
        }
    }
}

/// Errors: the steps and the router see ``PaymentError``, and the vendor's words stay behind it.
extension PaymentFlow {
    /// Runs a call of the service.
    ///
    /// - Parameter isMutation: whether it could move money.
    func call<Answer>(
        isMutation: Bool = false, _ call: () async throws(PayrailsError) -> Answer
    ) async throws -> Answer {
        do { return try await call() } catch { throw stopped(error, isMutation: isMutation) }
    }

    /// Runs a question about a payment that was sent: its failure leaves the payment's fate open.
    func waiting<Answer>(_ call: () async throws(PayrailsError) -> Answer) async throws -> Answer {
        do { return try await call() } catch { throw afterSending(stopped(error, isMutation: true)) }
    }

    func stopped(_ cause: PayrailsError, isMutation: Bool) -> PaymentError {
        stopped(cause, as: PaymentError(cause, isMutation: isMutation, at: payment.provider))
    }

    func stopped(_ cause: PayrailsError, as error: PaymentError) -> PaymentError {
        memory.note(cause, behind: error)
        return error
    }

    /// The error of a payment that was begun before: what has become of that is open.
    func afterSending(_ error: PaymentError) -> PaymentError {
        guard error.phase != .maybeSent else { return error }
        var open = error
        open.phase = .maybeSent
        memory.note(memory.cause(of: error), behind: open)
        return open
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(code, message, provider: payment.provider, phase: phase)
    }
}
