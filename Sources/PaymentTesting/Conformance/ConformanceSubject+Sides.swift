public import PaymentCore

extension ConformanceSubject {
    /// The backend's payment as its merchant knows it, and the service's records of it.
    public struct Sale: Sendable {
        /// The payment, by the name under which the subject asks about it.
        public let payment: PaymentReference
        /// The price: three minor units at least, so that a part can be refunded.
        public let price: Money
        /// Returns the refunds made, each in minor units. Nil where refunds are impossible.
        public let refunds: (@Sendable () async -> [UInt128])?
        /// Returns the number of times that the payment was cancelled. Nil where it cannot be cancelled.
        public let cancellations: (@Sendable () async -> Int)?
        /// True if the payment can be refunded only as a whole and only once.
        var refundsOnce = false
        /// Pays as the payer at the service itself, without the subject: at once, and settled. Does nothing when it
        /// cannot be paid any more.
        public let pay: @Sendable () async -> Void

        /// The means to try captures. Nil where the payment is captured without being asked.
        public var captures: Captures?

        /// Captures by the merchant.
        public struct Captures: Sendable {
            /// Lets the payer authorise the payment at the service itself, so that it can be captured.
            public let authorize: @Sendable () async -> Void
            /// Returns the captures made, each in minor units.
            public let made: @Sendable () async -> [UInt128]

            /// Creates the means.
            public init(
                authorize: @escaping @Sendable () async -> Void, made: @escaping @Sendable () async -> [UInt128]
            ) {
                self.authorize = authorize
                self.made = made
            }
        }

        /// Creates the description of a payment that is not yet paid.
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
        /// Those of the backend's payment, with every success that they can claim.
        public let own: [String]
        /// Those of another payment at the same service, which is paid.
        public let others: [String]

        /// Creates a list of URLs.
        public init(own: [String], others: [String]) {
            self.own = own
            self.others = others
        }
    }

    /// The notifications that the service sends to merchants.
    public struct NotificationFixture: Sendable {
        /// Lists notifications, as they would arrive.
        public typealias List = @Sendable () async -> [IncomingNotification]

        /// Returns every genuine notification so far, oldest first.
        public let sent: List
        /// Returns the same for another merchant: signed, as they have to be, with another secret. Nil where none can
        /// be made.
        public let foreign: List?
        /// Returns genuine ones that are too old to be trusted. Nil where the service's notifications do not age.
        public let stale: List?

        /// Creates a list of notifications.
        public init(sent: @escaping List, foreign: List? = nil, stale: List? = nil) {
            self.sent = sent
            self.foreign = foreign
            self.stale = stale
        }
    }
}
