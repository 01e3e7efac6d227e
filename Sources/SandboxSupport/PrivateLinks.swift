package import PaymentCore

/// A user's private links at a sandbox: messages that two apps leave for each other, to ask for payments.
package protocol PrivateLinks: Sendable {
    /// The user, as others name them.
    var user: String { get }
    /// Returns the links so far. Nothing is sent.
    func links() async throws -> [PrivateLinkEntry]
    /// Begins a link with a user.
    func add(_ user: String) async throws -> PrivateLinkEntry
    /// Exchanges messages over all links, and confirms payments that have arrived.
    ///
    /// - Parameter user: the user whose links are polled alone, or nil for all.
    func poll(_ user: String?) async throws -> [PrivateLinkEntry]
    /// Asks a user with a link for a payment, and sends the request.
    ///
    /// - Parameter unit: the interval of a payment that recurs, `day`, `week`, `month` or `year`, or nil for a single
    ///   payment.
    /// - Returns: the request's id.
    func ask(_ user: String, for amount: Money, reference: String, every unit: String?) async throws -> String
    /// Returns how a request of another user is paid. Of one that recurs, this is its earliest period that is not paid.
    func payment(of id: String) async throws -> AskedPayment
    /// Answers a request, and sends the answer.
    func answer(_ id: String, _ answer: RequestAnswer) async throws -> PrivateLinkEntry
}

/// A user's answer to a request for a payment. The reason is for the other user. It is nil if there is none.
package enum RequestAnswer: Sendable {
    case accept
    case reject(reason: String?)
    /// From either user, also after it was accepted.
    case cancel(reason: String?)
}

/// A payment that another user has asked for over a private link.
package struct AskedPayment: Sendable {
    /// One period of a request that recurs.
    package struct Period: Sendable {
        /// The period's payment, as a scheduler names it.
        package let reference: PaymentReference
        package let amount: Money
        package let period: RecurringPeriod

        package init(_ reference: PaymentReference, _ amount: Money, _ period: RecurringPeriod) {
            (self.reference, self.amount, self.period) = (reference, amount, period)
        }
    }

    /// The link that a router pays it by.
    package let link: String
    /// The user that asks.
    package let user: String
    /// The period to pay, or nil for a single payment.
    package let period: Period?

    package init(link: String, user: String, period: Period?) {
        (self.link, self.user, self.period) = (link, user, period)
    }
}

/// A link with an app of a user.
package struct PrivateLinkEntry: Sendable {
    /// A payment that one side has asked for.
    package struct Request: Sendable {
        package let id: String
        /// True if this user asked.
        package let isOwn: Bool
        /// The amount, or nil if it is in no known currency.
        package let amount: Money?
        package let reference: String
        package let phase: String
        /// The number of receipts that both sides have.
        package let receipts: Int

        package init(id: String, isOwn: Bool, amount: Money?, reference: String, phase: String, receipts: Int) {
            self.id = id
            self.isOwn = isOwn
            self.amount = amount
            self.reference = reference
            self.phase = phase
            self.receipts = receipts
        }
    }

    package let user: String
    package let app: String
    /// The progress, in words, or nil if nothing was sent.
    package let status: String?
    package let requests: [Request]

    package init(user: String, app: String, status: String?, requests: [Request]) {
        self.user = user
        self.app = app
        self.status = status
        self.requests = requests
    }
}
