public import PaymentCore

/// A kind of settler that ``SettlerConformance`` probes.
public struct SettlerSubject: Sendable {
    /// One wallet with money in it, and the settler that pays from it.
    public struct Wallet: Sendable {
        /// The settler.
        public let settler: any PaymentSettler
        /// Creates something to pay, another one at each call: an endpoint that the wallet can pay, and its amount.
        public let invoice: @Sendable () async throws -> (endpoint: SettlementEndpoint, amount: Money)
        /// Returns the number of payments that have left the wallet.
        public let payments: @Sendable () async throws -> Int
        /// Lets the wallet carry out what is in flight: by a pause, or a clock that is moved.
        public let proceed: @Sendable () async throws -> Void
        /// Makes the wallet refuse every payment, or pay again; nil where that is impossible.
        public let refuse: (@Sendable (_ refuses: Bool) async throws -> Void)?
        /// Opens the same wallet once more, as after a restart; nil where that is impossible.
        public let reopen: (@Sendable () async throws -> any PaymentSettler)?

        /// Creates a wallet.
        public init(
            _ settler: any PaymentSettler,
            invoice: @escaping @Sendable () async throws -> (endpoint: SettlementEndpoint, amount: Money),
            payments: @escaping @Sendable () async throws -> Int,
            proceed: @escaping @Sendable () async throws -> Void = { await Task.yield() },
            refuse: (@Sendable (_ refuses: Bool) async throws -> Void)? = nil,
            reopen: (@Sendable () async throws -> any PaymentSettler)? = nil
        ) {
            self.settler = settler
            self.invoice = invoice
            self.payments = payments
            self.proceed = proceed
            self.refuse = refuse
            self.reopen = reopen
        }
    }

    /// The name for reports.
    public let name: String
    let make: @Sendable () async throws -> Wallet

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - make: Makes a wallet with money and without payments, at every call.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Wallet) {
        self.name = name
        self.make = make
    }
}
