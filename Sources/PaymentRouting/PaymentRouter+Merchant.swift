public import PaymentCore
import Synchronization

/// Merchants' operations: captures, refunds, cancellations, notifications.
extension PaymentRouter {
    /// Captures authorised money, once: the same request repeated, from any process, returns the outcome of the first.
    ///
    /// Durable like a payment: an interrupted capture is listed by the journal and settled by
    /// ``recover(as:width:bound:)``. It waits for a refund of the payment in progress, and refunds wait for it.
    ///
    /// - Returns: the outcome; a refusal by the service is an outcome, after which another amount may be captured.
    /// - Throws: ``PaymentError``; `unsupported` when the service captures nothing, `integrity` when another amount is,
    ///   or may be, captured, `inUse` while a refund of the payment is in progress.
    public func capture(_ request: CaptureRequest) async throws(PaymentError) -> PaymentOutcome {
        let serviceClient = try serviceClient(for: request.payment.provider, payer: Payer())
        _ = try serviceClient.capturer
        try serviceClient.checkIsPayment(request.payment)
        return try await carryOwn(request.reference) {
            $0.capture == request
        } operation: { journal in
            try await AttemptEngine(serviceClient: serviceClient, journal: journal).capture(request)
        }
    }

    /// Refunds money, once: the same request repeated, from any process, returns the outcome of the first.
    ///
    /// Durable like a payment: an interrupted refund is listed by the journal and settled by
    /// ``recover(as:width:bound:)``. Refunds of one payment are made one after the other, by all routers that share the
    /// journal. The id stands for this payment and this amount in the whole account. A refund that was refused before
    /// it was sent, or declined by the service, leaves its id free.
    ///
    /// - Returns: the outcome; a refusal by the service is an outcome, after which the id may be used again.
    /// - Throws: ``PaymentError``; `unsupported` when the service makes no refunds, `integrity` when the request's id
    ///   was used for another payment or amount, or the service refunds a payment once and it was refunded under
    ///   another id, `refundTooLarge` when it is over more than what is left, by the journal, of what was captured or
    ///   paid from here, `inUse` while another refund of the payment, or one with the same id, is in progress.
    public func refund(_ request: RefundRequest) async throws(PaymentError) -> PaymentOutcome {
        let serviceClient = try serviceClient(for: request.payment.provider, payer: Payer())
        _ = try serviceClient.refunder
        try serviceClient.checkIsPayment(request.payment)
        return try await carryOwn(request.reference) {
            $0.refund == request
        } operation: { journal in
            try await AttemptEngine(serviceClient: serviceClient, journal: journal).refund(request)
        }
    }

    /// Captures or refunds as ``carryOnce(_:_:)`` does. What another caller or process does under the same name may be
    /// over another amount: its outcome is none of this request.
    private func carryOwn(
        _ reference: PaymentReference, _ isOwn: (PaymentAttempt) -> Bool,
        operation: @escaping @Sendable (LeasedJournal) async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        for _ in 0..<3 {
            let hasBegun = Mutex(false)
            let outcome = try await carryOnce(reference) { journal in
                hasBegun.withLock { $0 = true }
                return try await operation(journal)
            }
            // What this caller has found out is not lost where the journal cannot be read any more.
            if hasBegun.withLock({ $0 }) { return outcome }
            let last = try await journaled(at: reference.provider, .maybeSent) {
                try await $0.histories(of: reference).last
            }
            if let last, isOwn(last.attempt) { return outcome }
        }
        throw PaymentError.inUse(reference.provider)
    }

    /// Cancels a payment that is not paid yet, when no capture or refund of it is in progress.
    ///
    /// Durable like a payment: an interrupted cancellation is listed by the journal and carried on by
    /// ``recover(as:width:bound:)``, which asks the service again.
    ///
    /// - Returns: the outcome of the payment: it may just have been paid.
    /// - Throws: ``PaymentError``; `unsupported` when the service cannot cancel, `inUse` when a capture or refund of it
    ///   does not end for long: nothing was cancelled then.
    public func cancel(_ payment: PaymentReference) async throws(PaymentError) -> PaymentOutcome {
        let serviceClient = try serviceClient(for: payment.provider, payer: Payer())
        try serviceClient.checkIsPayment(payment)
        _ = try serviceClient.canceller
        let outcome: PaymentOutcome?
        do {
            outcome = try await leases.with(payment.cancellation) {
                try await visitor($0, serviceClient).cancel(payment)
            } orElse: { _ in
                nil
            }
        } catch {
            throw PaymentError(thrown: error, at: payment.provider)
        }
        // Another process has cancelled it, or could not, while this one waited.
        if let outcome { return outcome }
        return try await status(of: payment)
    }

    /// Checks that a notification is genuine, without a question to the service.
    ///
    /// - Returns: the payment or refund that it is about.
    /// - Throws: ``PaymentError``, as ``handle(_:from:)`` does.
    package func verify(
        _ notification: IncomingNotification, from provider: ProviderID
    ) throws(PaymentError) -> PaymentReference {
        do {
            return try serviceClient(for: provider, payer: Payer()).verify(notification).reference
        } catch {
            throw PaymentError(thrown: error, at: provider)
        }
    }

    /// Reads a notification that a payment service sent to this server, and ends the attempt at its payment or refund
    /// when it reports an end.
    ///
    /// Notifications may come late, twice and in any order. So one that says that a payment is over is a reason to ask
    /// the service: its status decides, unless that is still open where the notification says that it is paid.
    /// Answer the service with success only after this returned: it sends the notification again otherwise.
    ///
    /// - Returns: the payment or refund, and its outcome. Where the notification says that no money moved, and the
    ///   journal or the status does not, that is ``PaymentOutcome/unknown(_:)``; where it says that a payment is paid
    ///   which was cancelled or refunded from here since, it is that.
    /// - Throws: ``PaymentError``; `unsupported` when `provider` takes no notifications, `untrustedNotification` when
    ///   it is not genuine, `journal` when it could not be stored, and any when the service cannot be asked now.
    public func handle(
        _ notification: IncomingNotification, from provider: ProviderID
    ) async throws(PaymentError) -> HandledNotification {
        let serviceClient = try serviceClient(for: provider, payer: Payer())
        do {
            let genuine = try serviceClient.verify(notification)
            try await leases.with(genuine.reference, as: .visitor) {
                try await visitor($0, serviceClient).endOpenAttempt(at: genuine.reference, by: genuine.report)
            } orElse: { _ in
            }
            return HandledNotification(
                reference: genuine.reference,
                outcome: try await verdict(
                    on: try await checked(genuine, serviceClient), of: genuine.reference, serviceClient))
        } catch {
            throw PaymentError(thrown: error, at: provider)
        }
    }

    /// Returns what the service reports now of the payment that a notification says is over.
    private func checked(
        _ notification: GenuineNotification, _ serviceClient: ServiceClient
    ) async throws -> CheckedReport {
        let (payment, report) = (notification.reference, notification.report)
        guard payment.isPayment, report.isFinal else { return report }
        let status: CheckedReport
        do { status = try await serviceClient.status(of: payment) } catch let failure as PaymentError
            where failure.code == .notFound
        {
            // A payment that is known by its notification alone is not lost.
            status = .unknown(failure.message, of: payment)
        }
        guard !status.isFinal, report.deniesPayment else { return status.isFinal ? status : report }
        return .unknown(
            "a notification of the service says: \(report), but its status does not: \(status); ask again later",
            of: payment)
    }
}

/// The statement that a genuine notification leads to.
public struct HandledNotification: Sendable, Hashable {
    /// The payment or refund it is about.
    public let reference: PaymentReference
    /// The outcome of the payment or refund.
    public let outcome: PaymentOutcome

    package init(reference: PaymentReference, outcome: PaymentOutcome) {
        (self.reference, self.outcome) = (reference, outcome)
    }
}
