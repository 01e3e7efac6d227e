public import PaymentCore

extension ConformanceSubject {
    /// The backend's payment as its merchant knows it, and the books of what became of it.
    public struct Sale: Sendable {
        /// The payment, by the name under which the subject asks about it.
        public let payment: PaymentReference
        /// What it costs: three minor units at least, so that a part can be given back.
        public let price: Money
        /// Every time that money was given back, with how much of it in minor units. Nil where nothing is given back.
        public let refunds: (@Sendable () async -> [UInt128])?
        /// How often the payment was called off. Nil where it cannot be.
        public let cancellations: (@Sendable () async -> Int)?
        /// What a refund of so much has to be called, where a payment can be given back only as a whole and only once.
        /// Nil where parts can be, under any id.
        public var wholeRefundID: (@Sendable (Money) -> String)?
        /// Has the payer pay it at the service itself, without the subject: at once, and settled. Does nothing when it
        /// cannot be paid any more.
        public let pay: @Sendable () async -> Void

        /// Creates the description of a payment that nobody has paid yet.
        public init(
            _ payment: PaymentReference, price: Money, refunds: (@Sendable () async -> [UInt128])? = nil,
            cancellations: (@Sendable () async -> Int)? = nil, pay: @escaping @Sendable () async -> Void
        ) {
            self.payment = payment
            self.price = price
            self.refunds = refunds
            self.cancellations = cancellations
            self.pay = pay
        }
    }

    /// URLs by which payers come back to the application.
    public struct Returns: Sendable {
        /// Those of the backend's payment, each with whatever success it claims.
        public let own: [String]
        /// Those of another payment at the same service, which is paid.
        public let others: [String]

        /// Creates a list of URLs.
        public init(own: [String], others: [String]) {
            self.own = own
            self.others = others
        }
    }

    /// What the service sends to merchants.
    public struct NotificationFixture: Sendable {
        /// Lists notifications, as they would arrive.
        public typealias List = @Sendable () async -> [IncomingNotification]

        /// Every genuine notification so far, oldest first.
        public let sent: List
        /// The same for another merchant: signed, as they have to be, with another secret. Nil where none can be made.
        public let foreign: List?
        /// Genuine ones that are too old to be believed. Nil where the service's notifications do not age.
        public let stale: List?

        /// Creates a list of notifications.
        public init(sent: @escaping List, foreign: List? = nil, stale: List? = nil) {
            self.sent = sent
            self.foreign = foreign
            self.stale = stale
        }
    }
}
