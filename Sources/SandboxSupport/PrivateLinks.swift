package import PaymentCore

/// A user's private links at a sandbox: messages that two apps leave for each other, by which payments are asked for.
package protocol PrivateLinks: Sendable {
    /// The user, as others name them.
    var user: String { get }
    /// Returns the links so far. Nothing is sent.
    func links() async throws -> [PrivateLinkEntry]
    /// Begins a link with a user.
    func add(_ user: String) async throws -> PrivateLinkEntry
    /// Exchanges messages over all links, and confirms payments that have arrived.
    ///
    /// - Parameter user: the user whose links are polled alone; nil for all.
    func poll(_ user: String?) async throws -> [PrivateLinkEntry]
    /// Asks a user with a link for a payment, and sends the request.
    ///
    /// - Returns: the request's id.
    func ask(_ user: String, for amount: Money, reference: String) async throws -> String
    /// Returns the payment link of a request of another user, and that user.
    func paymentLink(of id: String) async throws -> (link: String, user: String)
}

/// A link with an app of a user.
package struct PrivateLinkEntry: Sendable {
    /// A payment that one side has asked for.
    package struct Request: Sendable {
        package let id: String
        /// True if this user asked.
        package let isOwn: Bool
        /// The amount; nil where it is in no known currency.
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
    /// The progress, in words; nil where nothing was sent.
    package let status: String?
    package let requests: [Request]

    package init(user: String, app: String, status: String?, requests: [Request]) {
        self.user = user
        self.app = app
        self.status = status
        self.requests = requests
    }
}
