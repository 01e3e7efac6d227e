import PaymentCore
import Synchronization

/// Payments to payees: by links that name nobody's single payment.
///
/// Each has an id of its own, so that one that ended keeps no other from being made. Who pays a payee while something
/// is open there that may have moved money goes on with that: nobody can tell whether they meant to pay a second time.
extension PaymentRouter {
    /// Pays the payee of `request`, whose payment was named for this call.
    func pay(_ request: QuoteRequest, to payee: String, _ serviceClient: ServiceClient) async throws(PaymentError)
        -> PaymentOutcome
    {
        let subject = Subject(request.reference)
        return try await once(request.reference, to: payee, about: { subject.payment }) {
            if let outcome = try await resumePayment(to: payee, request.link, serviceClient, subject) { return outcome }
            return try await leases.with(request.reference) { journal in
                try await engine(serviceClient, journal, request.reference).pay(request)
            } orElse: {
                $0
            }
        }
    }

    /// What the work is about: a new payment, unless an earlier one turns out to be open.
    private final class Subject: Sendable {
        private let state: Mutex<PaymentReference>
        init(_ payment: PaymentReference) { state = Mutex(payment) }

        var payment: PaymentReference {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// What becomes of a payment to `payee` that is open and may have moved money. Nil when there is none: those that
    /// have sent nothing are given up.
    private func resumePayment(
        to payee: String, _ link: PaymentLink, _ serviceClient: ServiceClient, _ subject: Subject
    ) async throws -> PaymentOutcome? {
        let open = try await openPayments(to: payee, serviceClient)
        for history in open where history.mayHaveMovedMoney || history.outcome != nil {
            let payment = history.attempt.reference
            subject.payment = payment
            let outcome: PaymentOutcome? = try await leases.with(payment) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).resumeOrReturnEarlierAttempt(
                    at: payment, for: link)
            } orElse: {
                $0
            }
            if let outcome { return outcome }
        }
        try await abandonUnsent(open, serviceClient)
        return nil
    }

    /// Gives up what was begun for the payee of `option` under other names and has sent nothing: gone on with later, it
    /// would pay a second time.
    ///
    /// - Throws: ``PaymentError/Code/inUse`` when somebody is at it.
    func abandonUnsent(besides payment: PaymentReference, _ option: PaymentMethodOption, _ serviceClient: ServiceClient)
        async throws
    {
        guard let payee = serviceClient.payee(of: option) else { return }
        try await abandonUnsent(to: payee, besides: payment, serviceClient)
    }

    /// Gives up what was begun for `payee` under other names than this and has sent nothing.
    ///
    /// - Throws: ``PaymentError/Code/inUse`` when somebody is at it.
    func abandonUnsent(to payee: String, besides payment: PaymentReference, _ serviceClient: ServiceClient) async throws
    {
        let open = try await openPayments(to: payee, serviceClient).filter { $0.attempt.reference != payment }
        try await abandonUnsent(open, serviceClient)
    }

    private func abandonUnsent(_ open: [AttemptHistory], _ serviceClient: ServiceClient) async throws {
        for history in open where !history.mayHaveMovedMoney && history.outcome == nil {
            try await leases.with(history.attempt.reference, waiting: false) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).abandonUnsent(history.attempt)
            } orElse: { _ in
            }
        }
    }

    /// The open attempts at payments to `payee`, oldest first.
    private func openPayments(
        to payee: String, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> [AttemptHistory] {
        try await journaled(at: serviceClient.descriptor.id) { try await $0.unfinished() }.filter { history in
            let attempt = history.attempt
            return attempt.reference.provider == serviceClient.descriptor.id && attempt.refund == nil
                && serviceClient.payee(of: attempt.option) == payee && effects.isSound(history)
        }
    }
}
