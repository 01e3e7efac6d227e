public import PaymentCore
import Synchronization

// MARK: - Merchants' operations

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

    /// Captures or refunds as ``carryOnce(_:_:)`` does. Another caller or process may do so under the same name over
    /// another amount. Its outcome is not the outcome of this request.
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
            // The outcome that this caller knows is not lost if the journal cannot be read any more.
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
    ///   does not end in time; nothing was cancelled then.
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
        // While this process waited, another one has cancelled the payment, or could not.
        if let outcome { return outcome }
        return try await status(of: payment)
    }

    /// Checks that a notification is genuine, without asking the service.
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
    /// Notifications may come late, twice and in any order. So the service is asked about a payment that is over by a
    /// notification. Its status decides, unless the status is still open and the notification says that the payment is
    /// paid. Answer the service with success only after this returned; otherwise it sends the notification again.
    ///
    /// - Returns: the payment or refund, and its outcome. If the notification says that no money moved, and the journal
    ///   or the status does not confirm it, the outcome is ``PaymentOutcome/unknown(_:)``. If it says that a payment is
    ///   paid that was cancelled or refunded from here since, the outcome is that cancellation or refund.
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

// MARK: - Returns of payers

/// Returns of payers from outside the application.
extension PaymentRouter {
    /// Completes the payment that a return URL belongs to. A return URL that names no payment, such as a wallet's bare
    /// answer, concerns every open payment of its provider, or of all providers that share it, latest first. A payment
    /// whose query fails does not keep the URL from the others.
    ///
    /// Only URLs that a provider recognises as its callback, and only payments that this journal began, are taken. A
    /// stray deep link returns `nil` and changes nothing.
    ///
    /// - Returns: the outcome of the payment; of several, the first that ended, otherwise the latest known one.
    /// - Throws: ``PaymentError`` when nothing is known of any: of several, the failure that leaves most open.
    ///   ``PaymentError/Code/foreignReturn`` when the URL names a payment that is none of them, which changes nothing.
    public func handle(_ url: String, as payer: Payer = Payer()) async throws(PaymentError) -> PaymentOutcome? {
        var latest: PaymentOutcome?
        var failure: PaymentError?
        for route in callbacks(url) {
            let serviceClient = try serviceClient(for: route.provider, payer: payer)
            for reference in try await openPayments(at: route.provider, called: route.match.reference) {
                do {
                    _ = try serviceClient.completer
                    // This router's own payment in progress may be waiting for this return.
                    let outcome = try await leases.with(reference, as: .visitor) {
                        try await visitor($0, serviceClient).complete(route.link, of: reference)
                    } orElse: {
                        $0
                    }
                    guard let outcome else { continue }
                    if outcome.isFinal { return outcome }
                    latest = latest ?? outcome
                } catch {
                    let next = PaymentError(thrown: error, at: route.provider)
                    if next.code != .foreignReturn {
                        let message = "a return could not be brought to one of the open payments: \(next.message)"
                        effects.emit(.note(message), at: route.provider, reference)
                    }
                    if failure.map({ Self.weight(of: next) > Self.weight(of: $0) }) ?? true { failure = next }
                }
            }
        }
        if latest == nil, let failure { throw failure }
        return latest
    }

    /// Returns the callbacks that match `url`. Several accounts of one vendor return to one application by the same
    /// URLs.
    private func callbacks(_ url: String) -> [Route] {
        switch route(url) {
        case .matched(let route): [route].filter { $0.match.role == .callback }
        case .ambiguous(let routes): routes.filter { $0.match.role == .callback }
        default: []
        }
    }

    /// Returns the weight of a failure for the caller that handles a return. A return of another payment may belong to
    /// the next one. Money that may have moved comes first.
    private static func weight(of failure: PaymentError) -> Int {
        if failure.code == .foreignReturn { return 0 }
        return failure.phase == .maybeSent ? 2 : 1
    }

    /// Returns the payments at `provider` with an attempt that has not ended, latest first; only the one with this `id`
    /// if given.
    private func openPayments(
        at provider: ProviderID, called id: String?
    ) async throws(PaymentError) -> [PaymentReference] {
        guard let id else {
            let open = try await journaled { try await $0.unfinished() }.map(\.attempt.reference)
            return open.reversed().filter { $0.provider == provider && $0.isPayment }
        }
        let reference = PaymentReference(provider: provider, id: id)
        let isOpen = try await journaled { try await $0.histories(of: reference) }.contains { !$0.isFinished }
        return isOpen ? [reference] : []
    }
}

// MARK: - The events of one attempt

/// Events from outside the run of a payment: returns of payers, captures, refunds, cancellations and notifications.
extension AttemptEngine {
    /// Completes the unfinished attempt at `payment` whose payer returned through `callback`; nil when there is none.
    func complete(
        _ callback: PaymentLink, of payment: PaymentReference
    ) async throws -> PaymentOutcome? {
        guard let history = try await histories(of: payment).last(where: { !$0.isFinished }) else { return nil }
        if let outcome = try await statusOfUnsealedAttempt(among: [history], isNamed: true) { return outcome }
        let attempt = history.attempt
        let steps = StepLog(
            history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects, isVisit: true)
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, about: payment, attempt: attempt.id, journal: journal)
        let report: CheckedReport
        do {
            report = try await serviceClient.complete(callback, for: attempt, in: context).checked(against: attempt)
        } catch {
            // Another worker carries the attempt out already.
            guard await steps.isLeftToOthers else { throw error }
            return .pending(retryAfter: nil)
        }
        // The payer may return from an earlier attempt, while the last one is not known at the service yet.
        guard let (confirmed, seen) = try await confirm(report, of: attempt) else { return unconfirmed(attempt) }
        return try await end(attempt, as: confirmed, seen: seen)
    }

    /// Captures money: once, however often it is requested. If an earlier capture was or may have been made, no capture
    /// of another amount is made.
    func capture(_ request: CaptureRequest) async throws -> PaymentOutcome {
        let other = try await histories(of: request.reference).first { $0.attempt.capture != request && $0.bindsName }
        if let other {
            throw error(
                .integrity, "another capture of the payment, over \(other.attempt.option.amount), was made or is open")
        }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        let option = PaymentMethodOption(id: "capture", title: "Capture", amount: request.amount)
        return try await open(request.reference, option)
    }

    /// Refunds money: once, however often it is requested. No refund is made while another refund has the id, or over
    /// more than what is left of the payment.
    func refund(_ request: RefundRequest) async throws -> PaymentOutcome {
        if let other = try await refund(against: request) { throw isTaken(request, by: other) }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        if let excess = try await excess(of: request) { throw excess }
        let failures = try await histories(of: request.reference).count { $0.authorities.wereAccepted }
        return try await open(request.reference, .refund(request.amount, earlierFailures: failures))
    }

    /// Ends a refund that has sent nothing, if another one has its id or left too little of the payment. This also
    /// stops a refund that lost its lease between the look for others and its opening, and one that is resumed after a
    /// crash.
    func endAsSecondRefund(_ history: AttemptHistory) async throws {
        guard let request = history.attempt.refund, !history.mayHaveMovedMoney, history.outcome == nil else { return }
        guard let failure = try await obstacle(to: request) else { return }
        try await abandon(history.attempt, after: failure)
        throw failure
    }

    /// Returns the error of a refund that another one prevents, by its id or by its amount.
    private func obstacle(to request: RefundRequest) async throws -> PaymentError? {
        if let other = try await refund(against: request) { return isTaken(request, by: other) }
        return try await excess(of: request)
    }

    /// Returns another refund that prevents `request`: one of another payment or amount under the same id. If the
    /// service refunds a payment once, one of the same payment under another id prevents it, too. Nothing else decides
    /// that.
    private func refund(against request: RefundRequest) async throws -> RefundRequest? {
        let isOnce = (try? serviceClient.refunder)?.refundsOnce ?? false
        return try await journaled { try await journal.base.refunds(relatedTo: request.reference) }.lazy
            .filter { $0.bindsName || !effects.isSound($0) }.compactMap(\.attempt.refund)
            .first { $0 != request && (isOnce || $0.reference.refundName == request.reference.refundName) }
    }

    /// Returns the error of a refund that is over more than what is left of its payment, by the journal.
    private func excess(of request: RefundRequest) async throws -> PaymentError? {
        let identity = serviceClient.identity
        let records = try await journaled { try await identity.records(of: request.payment, in: journal.base) }
        guard let excess = identity.ledger(records, effects).excess(of: request) else { return nil }
        // One in flight may still fail.
        let message = excess.mayEnd ? "\(excess.message) before that has ended" : excess.message
        return serviceClient.error(.refundTooLarge, message).with(retry: excess.mayEnd ? .later : .never)
    }

    private func isTaken(_ request: RefundRequest, by other: RefundRequest) -> PaymentError {
        let message =
            request.reference.refundName == other.reference.refundName
            ? "the refund '\(request.id)' was asked for before, with other particulars: \(other.amount) of the payment "
                + "\(other.payment.id). Use another id for another refund"
            : "\(descriptor.name) refunds a payment once, and the refund '\(other.id)' of it was asked for before"
        return error(.integrity, message)
    }

    /// Cancels a payment after storing that the cancellation is begun, and ends the payment's own attempt if the
    /// outcome is cancelled. Runs while the leases of the cancellation and of the payment are held.
    ///
    /// - Returns: the outcome of the payment.
    func cancel(_ payment: PaymentReference) async throws -> PaymentOutcome {
        let (note, isNew) = try await openCancellation(of: payment)
        let steps = UnstoredSteps()
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, about: payment, journal: journal)
        let report: CheckedReport
        do { report = try await serviceClient.cancel(payment, in: context) } catch {
            // A failure after the request does not prove that it was not carried out.
            let failure = PaymentError(thrown: error, at: descriptor.id)
            guard await !steps.mayHaveChangedSomething else { throw failure.withOpenFate }
            if let note, isNew { try await abandon(note, after: failure) }
            throw isNew ? failure : failure.withOpenFate
        }
        if let note {
            if report.isFinal {
                _ = try await end(note, as: try Self.end(of: note, by: report))
            } else if isNew, await !steps.mayHaveChangedSomething {
                try await abandon(note, after: error(.requestRefused, "nothing was requested: \(report)"))
            }
        }
        guard let own = journal.outer.last(where: { $0.lease.payment == payment }) else {
            throw error(.providerFault, "a cancellation runs without its payment's lease", phase: .maybeSent)
        }
        return try await AttemptEngine(serviceClient: serviceClient, journal: own, hasEnded: hasEnded)
            .end(payment, afterCancelling: report)
    }

    /// Stores that a cancellation is begun, or continues an earlier one, whose request may still arrive.
    ///
    /// - Returns: the attempt; nil if the payment was cancelled before.
    private func openCancellation(of payment: PaymentReference) async throws -> (note: PaymentAttempt?, isNew: Bool) {
        let earlier = try await histories(of: payment.cancellation)
        if Ledger(earlier, effects).recordedPayment != nil { return (nil, true) }
        if let open = earlier.last(where: { !$0.isFinished }) {
            guard effects.isSound(open) else { throw error(.integrity, Ledger.distrust(of: open.attempt.id)) }
            return (open.attempt, false)
        }
        let attempt = try moneyless(payment.cancellation, (id: "cancel", title: "Cancellation"), at: effects.clock.now)
        try await journal.inTurn { try await journaled { try await journal.open(attempt) } }
        effects.emit(.began(attempt.option), of: attempt)
        return (attempt, true)
    }

    /// Returns the end of a cancellation by the report of its payment.
    private static func end(
        of note: PaymentAttempt, by report: CheckedReport
    ) throws(PaymentError) -> CheckedReport {
        guard report.isCancelled else {
            return .refused(.refused, "the payment was not cancelled: \(report)", of: note.reference)
        }
        return try CheckedReport(.succeeded(PaymentReceipt(reference: note.reference)), of: note.reference)
    }

    /// Ends the payment's own attempt by the report that its cancellation led to.
    private func end(
        _ payment: PaymentReference, afterCancelling report: CheckedReport
    ) async throws -> PaymentOutcome {
        let open = try await journal.inTurn {
            if report.deniesPayment { await journal.steps.endPayment() }
            return try await openAttempt(at: payment)?.attempt
        }
        let identity = serviceClient.identity
        guard let attempt = open else {
            let records = try await journaled { try await identity.records(of: payment, in: journal.base) }
            return identity.ledger(records, effects).verdict(on: report, at: .question)
        }
        guard let (confirmed, seen) = try await confirm(try report.checked(against: attempt), of: attempt) else {
            return unconfirmed(attempt)
        }
        return try await end(attempt, as: confirmed, seen: seen)
    }

    /// Ends the open attempt at a payment or refund by the service's own message or status, when that is final.
    /// Messages come late. One that says that no money moved may be about an earlier attempt, and does not end an
    /// attempt that has sent nothing yet.
    func endOpenAttempt(at payment: PaymentReference, by message: CheckedReport) async throws {
        guard message.isFinal, let history = try await openAttempt(at: payment) else { return }
        let attempt = history.attempt
        let report = try message.checked(against: attempt)
        if report.deniesPayment, !history.mayHaveMovedMoney, history.outcome == nil { return }
        guard let (confirmed, seen) = try await confirm(report, of: attempt) else { return }
        do { try await end(attempt, byMessage: confirmed, seen: seen) } catch is AttemptEndedError {}
    }

    /// Returns the last attempt at `payment` that has not ended, if its record is sound. Attempts that stand for a
    /// cancellation are left out: no message is about them.
    private func openAttempt(at payment: PaymentReference) async throws -> AttemptHistory? {
        let history = try await histories(of: payment).last { !$0.isFinished && !Self.isCancellation($0.attempt) }
        return history.flatMap { effects.isSound($0) ? $0 : nil }
    }
}
