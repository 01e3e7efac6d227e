package import PaymentCore
package import PayrailsTypes

/// One payment of a session, from the request to its result.
package struct PaymentRun: Sendable {
    let api: PayrailsAPI
    let body: PaymentBody
    let clock: any PaymentClock
    let presenter: (any PaymentPresenter)?
    /// What the execution had before this payment.
    var before = StatusHistory.Mark.start

    package init(
        api: PayrailsAPI, body: PaymentBody, clock: any PaymentClock, presenter: (any PaymentPresenter)?,
        before: StatusHistory.Mark
    ) {
        self.api = api
        self.body = body
        self.clock = clock
        self.presenter = presenter
        self.before = before
    }

    /// A result, and whether the session has to be refreshed after it was delivered.
    package struct Ended: Sendable {
        package let result: OnPayResult
        package var needsRefresh = false

        static let success = Ended(result: .success)
    }

    private var poll: ExecutionPoll { ExecutionPoll(api: api, clock: clock, before: before) }
    private var returnURLs: ReturnURLs { body.returnURLs }

    /// Carries the payment through.
    package func run(_ means: PaymentMeans) async -> Ended {
        let answer: AuthorizeBody
        do throws(PayrailsError) {
            answer = try await api.authorize(try body.make(means), body.payload.execution.authorize)
        } catch {
            return Self.ended(error)
        }
        do throws(PayrailsError) {
            // The session knows where to ask even when the answer does not say.
            let url = answer.links.execution?.nonEmpty ?? body.payload.execution.links.me
            let ending = try await poll.ending(of: url, knowsPending: true)
            guard case .pending(let execution) = ending, execution.actionRequired != nil else {
                return Self.ended(ending)
            }
            return try await act(on: execution, means.type)
        } catch {
            return Self.ended(afterAcceptance: error)
        }
    }

    // MARK: The payer's part

    /// Shows the page and meanwhile asks the service: the first ending counts.
    private func act(on execution: ExecutionBody, _ type: Payrails.PaymentType) async throws(PayrailsError) -> Ended {
        let action = try PendingAction(execution, type, body.payload.addresses, returnURLs)
        guard let presenter else { throw .unknown(error: PayrailsFault.noPresenter) }
        let url = execution.links.me
        let visit = PageVisit(page: action.page) { try await presenter.presentPayment($0) }
        switch await visit.run(besides: poll, of: url) {
        case .ending(let ending): return Self.ended(ending)
        case .gaveUp(let error): throw error
        case .notShown(let type): throw .unknown(error: PayrailsFault.presenterFailed(type))
        case .left(let link):
            let returned = PendingAction.Returned(link, returnURLs)
            if let approval = action.approval, approval.disagreement(with: returned) != nil {
                // The service's word counts; the return's does not.
                if let ending = try await poll.lastLooks(at: url) { return Self.ended(ending) }
                try approval.check(returned)
            }
            guard returned.isFinished else { return try await abandoned(link, url) }
            if let approval = action.approval, let confirmation = approval.confirmation(returned) {
                return Self.ended(try await confirm(confirmation, approval.link))
            }
            return Self.ended(try await poll.ending(of: url, knowsPending: false))
        }
    }

    /// The payer closed the page or came back without finishing it.
    private func abandoned(_ link: PaymentLink?, _ url: String) async throws(PayrailsError) -> Ended {
        if let ending = try await poll.lastLooks(at: url) { return Self.ended(ending) }
        switch link.flatMap(returnURLs.kind) {
        case .error: return Ended(result: .error(.unknown(error: nil)))
        case .cancel: return Ended(result: .cancelledByUser)
        default: return Ended(result: .cancelledByUser, needsRefresh: true)
        }
    }

    /// Confirms, up to three times as the vendor's client does, and waits for the ending.
    private func confirm(_ confirmation: JSONValue, _ link: LinkBody) async throws(PayrailsError)
        -> ExecutionPoll.Ending
    {
        var round: Int64 = 0
        while true {
            do throws(PayrailsError) {
                let answer = try await api.confirm(confirmation, link)
                guard let url = answer.links.execution?.nonEmpty else { throw .missingData("the link 'execution'") }
                return try await poll.ending(of: url, knowsPending: false)
            } catch {
                round += 1
                guard round < 3, (try? await clock.sleep(for: .seconds(round))) != nil else { throw error }
            }
        }
    }

    // MARK: Results

    private static func ended(_ ending: ExecutionPoll.Ending) -> Ended {
        switch ending {
        case .success: .success
        case .failed(let reason): Ended(result: .failure(.declined(reason)))
        case .cancelled: Ended(result: .failure(.declined("the shop called the payment off")))
        case .pending: Ended(result: .pending)
        }
    }

    /// An error after the service had taken the payment: whatever it is, the payment may have been made. A token that is
    /// refused then says nothing of it.
    private static func ended(afterAcceptance error: PayrailsError) -> Ended {
        if case .authenticationError = error {
            return Ended(result: .error(.longPollingFailed(underlyingError: error)), needsRefresh: true)
        }
        guard error.leavesFateOpen else {
            return Ended(result: .error(.failedToDerivePaymentStatus(error.description)))
        }
        return ended(error)
    }

    package static func ended(_ error: PayrailsError) -> Ended {
        switch error {
        case .authenticationError: Ended(result: .authorizationFailed(.authentication), needsRefresh: true)
        case .pollingFailed, .finalStatusNotFoundAfterLongPoll, .longPollingFailed:
            Ended(result: .error(error), needsRefresh: true)
        default: Ended(result: .error(error))
        }
    }
}
