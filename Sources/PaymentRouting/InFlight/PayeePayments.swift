public import PaymentCore
import Synchronization

/// Payments to payees: by links that name no single payment.
///
/// Each has its own id, so a payment that ended does not prevent another. If a payment to the payee is open that may
/// have moved money, paying the payee again resumes it, because it is unknown if a second payment was meant. If the
/// amounts differ, a second payment was meant. It is refused until the first has ended. A period of a plan is never the
/// payment that is meant. Its end is awaited.
extension PaymentRouter {
    /// Pays the payee of `request`, whose payment was named for this call.
    func pay(
        _ request: QuoteRequest, to payee: String, _ serviceClient: ServiceClient, for intent: PaymentIntent? = nil,
        _ bind: @escaping PaymentIntent.Binding = { _, _ in }
    ) async throws(PaymentError) -> PaymentOutcome {
        let subject = Subject(request.reference)
        return try await once(request.reference, to: payee, about: { subject.payment }) {
            if let outcome = try await resumePayment(to: payee, request, serviceClient, subject) { return outcome }
            return try await leases.with(request.reference) { journal in
                var engine = engine(serviceClient, journal, request.reference)
                (engine.intent, engine.bind) = (intent, bind)
                return try await engine.pay(request)
            } orElse: {
                $0
            }
        }
    }

    /// Returns the payments in the journal to the payee that a link names, oldest first. Empty for a link that names a
    /// single payment, and if the journal cannot list its attempts.
    ///
    /// - Throws: ``PaymentError``, when the journal cannot be read.
    public func payments(toPayeeOf route: Route) async throws(PaymentError) -> [PaymentReference] {
        guard let payee = route.match.payee,
            let archive = effects.journal as? any AttemptArchive
        else { return [] }
        let serviceClient = try serviceClient(for: route.provider, payer: Payer())
        var (payments, query) = ([PaymentReference](), AttemptQuery(provider: route.provider, order: .oldestFirst))
        while true {
            let page = try await journaled(at: route.provider) { _ in try await archive.attempts(query) }
            for attempt in page.histories.map(\.attempt)
            where serviceClient.identity.isPayment(attempt, to: payee) && !payments.contains(attempt.reference) {
                payments.append(attempt.reference)
            }
            guard let next = page.next else { return payments }
            query.cursor = next
        }
    }

    /// The payment that the work is about: a new one, unless an earlier one turns out to be open.
    private final class Subject: Sendable {
        private let state: Mutex<PaymentReference>
        init(_ payment: PaymentReference) { state = Mutex(payment) }

        var payment: PaymentReference {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// Returns the outcome of a payment to `payee` that is open and may have moved money, by resuming it. Nil if there
    /// is no such payment. Payments that have sent nothing are abandoned.
    private func resumePayment(
        to payee: String, _ request: QuoteRequest, _ serviceClient: ServiceClient, _ subject: Subject
    ) async throws -> PaymentOutcome? {
        let open = try await openPayments(to: payee, serviceClient)
        for history in open where history.mayHaveMovedMoney || history.outcome != nil || !effects.isSound(history) {
            let payment = history.attempt.reference
            guard !PaymentIdentity.isPeriod(payment, of: payee) else {
                try await endPeriod(payment, serviceClient)
                continue
            }
            subject.payment = payment
            let outcome: PaymentOutcome? = try await leases.with(payment) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).resumeOrReturnEarlierAttempt(
                    at: payment, for: request.link)
            } orElse: {
                $0
            }
            guard let outcome else { continue }
            if case .succeeded = outcome { try await checkIsMeant(history.attempt, request, serviceClient) }
            return outcome
        }
        try await abandonUnsent(open, serviceClient)
        return nil
    }

    /// Resumes a period of a plan: its end must be known before anything else is paid to its payee.
    ///
    /// - Throws: ``PaymentError/Code/openPeriod`` if the end is still unknown.
    private func endPeriod(_ period: PaymentReference, _ serviceClient: ServiceClient) async throws {
        let outcome: PaymentOutcome?
        do {
            outcome = try await leases.with(period) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).resumeOrReturnEarlierAttempt(
                    at: period, for: nil)
            } orElse: {
                $0
            }
        } catch let failure as PaymentError where failure.code == .inUse { throw PaymentError.openPeriod(period) }
        guard outcome?.isFinal ?? true else { throw PaymentError.openPeriod(period) }
    }

    /// Checks that an earlier payment, which was resumed, costs what the payer is asked for now. If the amount cannot
    /// be asked for now, the earlier payment counts as the one that was meant: an error would have it paid again.
    ///
    /// - Throws: ``PaymentError/Code/earlierPayment`` if it costs another amount: its receipt is not about what was
    ///   chosen.
    private func checkIsMeant(
        _ earlier: PaymentAttempt, _ request: QuoteRequest, _ serviceClient: ServiceClient
    ) async throws {
        guard let amounts = try? await serviceClient.amounts(of: request) else { return }
        guard !amounts.isEmpty, !amounts.contains(earlier.option.amount) else { return }
        throw PaymentError(
            .earlierPayment,
            "an earlier payment of \(earlier.option.amount) to the same payee was open, and is paid now "
                + "(\(earlier.reference.id)); nothing else was paid: pay again if another one is meant",
            provider: earlier.reference.provider, retry: .later)
    }

    /// Abandons attempts begun for the payee of `option` under other names that have sent nothing. Resumed later, they
    /// would pay a second time.
    ///
    /// - Throws: ``PaymentError/Code/inUse`` when another worker has one of them.
    func abandonUnsent(besides payment: PaymentReference, _ option: PaymentMethodOption, _ serviceClient: ServiceClient)
        async throws
    {
        guard let payee = serviceClient.identity.payee(of: option) else { return }
        try await abandonUnsent(to: payee, besides: payment, serviceClient)
    }

    /// Abandons attempts begun for `payee` under other names than this that have sent nothing.
    ///
    /// - Throws: ``PaymentError/Code/inUse`` when another worker has one of them.
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

    /// Returns the open attempts at payments to `payee`, oldest first.
    private func openPayments(
        to payee: String, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> [AttemptHistory] {
        try await journaled(at: serviceClient.descriptor.id) { try await $0.unfinished() }
            .filter { serviceClient.identity.isPayment($0.attempt, to: payee) }
    }
}
