package import PaymentCore

/// The payer's actions in a payment.
extension PaymentFlow {
    /// The result of a visit to a page, if it is final.
    private enum Visited: Codable, Sendable {
        case finished(PendingAction.Returned)
        case paid
        case declined(String)
        case cancelled
    }

    /// Shows the page that `execution` requires, and waits for the result.
    ///
    /// - Parameter isOwn: true if this flow began the payment, and so with the chosen means.
    func act(on execution: ExecutionBody, isOwn: Bool, _ before: Before) async throws -> End {
        let chosen = isOwn ? state[\.type] ?? terms.type : nil
        let action = try await waiting { () throws(PayrailsError) in
            try PendingAction(
                execution, chosen ?? PendingAction.type(of: execution), payload.addresses,
                returnURLs: returnURLs)
        }
        let poll = poll(since: before)
        guard let browser = context.payer.browser else {
            throw error(
                .payer, "the payer has to see a page of the bank; give the payer a browser and resume from the link",
                phase: .maybeSent, cause: PayrailsError.unknown(error: PayrailsUnderlyingError.noPresenter))
        }
        switch try await visit(PageVisit(page: action.page, show: browser), action.approval, poll) {
        case nil: return try await lastLooks(poll) ?? .left(state[\.left])
        case .paid: return .success
        case .declined(let reason): return .declined(reason)
        case .cancelled: return .cancelled
        case .finished(let returned):
            if let approval = action.approval {
                do { try await confirm(approval, returned, before) } catch let error as PaymentError {
                    // The payment was begun, whatever the error of the confirmation.
                    throw error.code == .inUse ? error : error.with(phase: .maybeSent)
                }
            }
            return End(
                try await waiting { () throws(PayrailsError) in
                    try await poll.ending(of: url, knowsPending: false)
                })
        }
    }

    /// Visits the page as a step.
    ///
    /// - Returns: nil if the payer did not finish the page. It is shown again when the payment is resumed, as after a
    ///   return with another order.
    private func visit(
        _ visit: PageVisit, _ approval: PendingAction.Approval?, _ poll: ExecutionPoll
    ) async throws -> Visited? {
        try await context.stepIfFinished("page", .interaction) {
            switch await visit.run(besides: poll, of: url) {
            case .ending(.success): return .paid
            case .ending(.failed(let reason)): return .declined(reason)
            case .ending(.cancelled): return .cancelled
            case .ending(.pending): return nil
            case .left(let link):
                let returned = PendingAction.Returned(link, returnURLs)
                if approval?.disagreement(with: returned) != nil {
                    // Only the service's status counts, not the return URL.
                    switch try await lastLooks(poll) {
                    case .success: return .paid
                    case .declined(let reason): return .declined(reason)
                    case .cancelled: return .cancelled
                    case .pending, .left, nil: break
                    }
                }
                try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
                state[\.left] = link.flatMap(returnURLs.kind)
                guard returned.isFinished else { return nil }
                return .finished(returned)
            case .notShown(let type):
                throw paymentError(
                    from: .unknown(error: PayrailsUnderlyingError.presenterFailed(type)), isMutation: true)
            case .abandoned(let error): throw paymentError(from: error, isMutation: true)
            }
        }
    }

    private func lastLooks(_ poll: ExecutionPoll) async throws -> End? {
        try await waiting { () throws(PayrailsError) in try await poll.lastLooks(at: url) }.map { End($0) }
    }

    /// Confirms that the payer approved, up to three times while answers are lost or the token is refused, as the
    /// vendor's client does: the call names one order at PayPal, and repeating it changes nothing. After a refusal the
    /// statuses decide.
    private func confirm(
        _ approval: PendingAction.Approval, _ returned: PendingAction.Returned, _ before: Before
    ) async throws {
        guard let body = approval.confirmation(returned) else { return }
        // The run that makes the payment and the one that completes its callback use the same key.
        let key = before.confirmKey ?? keys.confirm
        _ = try await context.step("confirm", .mutation(replay: .sameKey)) {
            var round: Int64 = 0
            while true {
                do {
                    _ = try await call(isMutation: true) { () throws(PayrailsError) in
                        try await api.confirm(body, approval.link, key: key)
                    }
                    return true
                } catch let error as PaymentError {
                    let isTokenRefused = error.code == .unauthorized
                    if error.code == .requestRefused || error.phase == .answered && !isTokenRefused { return false }
                    round += 1
                    guard error.phase == .maybeSent || isTokenRefused, round < 3 else { throw error }
                    try await context.clock.sleep(for: .seconds(round))
                }
            }
        }
    }

    /// Returns the report of the payment whose payer came back through `callback`. A return of another order is
    /// rejected before any effect.
    package func completed(by callback: PaymentLink) async throws -> ServiceReport {
        let execution = try await waiting { () throws(PayrailsError) in try await api.execution(url) }
        let returned = PendingAction.Returned(callback, returnURLs)
        let approval = PendingAction.Approval(execution.links.confirm)
        try await waiting { () throws(PayrailsError) in try approval?.check(returned) }
        let before = try await look()
        if let approval, returned.isFinished, returned.payerID != nil, execution.actionRequired != nil,
            case .pending = ServiceReport(execution, of: payment)
        {
            try await confirm(approval, returned, before)
        }
        return ServiceReport(try await lastLooks(poll(since: before)) ?? .pending, of: payment)
    }
}
