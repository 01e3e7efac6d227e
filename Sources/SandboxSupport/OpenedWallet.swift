package import PaymentCore

/// The description of a payer's own wallet, with real money in it.
package struct WalletSettings: Sendable {
    /// The address: `lnbits://host`, `lnd://host:8080`.
    package let address: String
    /// The key that may pay, as its file has it.
    package let key: Redacted<[UInt8]>
    /// The file of the wallet's orders, or nil for one that is only asked.
    package let orders: String?
    /// The network of its money: `mainnet`, `testnet`, `signet` or `regtest`.
    package let network: String
    /// Reads invoices.
    package let reader: any InstructionReader
    /// The way there.
    package let transport: any HTTPTransport
    /// The way to the services of payees' addresses.
    package var services: any HTTPTransport
    /// The comment for the payee of an address, or nil if there is none.
    package let comment: String?

    package init(
        address: String, key: Redacted<[UInt8]>, orders: String?, network: String, reader: any InstructionReader,
        transport: any HTTPTransport, services: any HTTPTransport, comment: String? = nil
    ) {
        self.comment = comment
        self.address = address
        self.key = key
        self.orders = orders
        self.network = network
        self.reader = reader
        self.transport = transport
        self.services = services
    }

    /// Returns the kind of wallet and its place, or nil if the address is malformed or a third party could read the key
    /// on its way.
    ///
    /// `kind://host` is HTTPS, and on this machine the scheme that the kind has there; `kind+http://` and
    /// `kind+https://` say which.
    ///
    /// - Parameter isPlain: returns true for a kind that has no TLS on its own machine.
    package func place(isPlain: (Substring) -> Bool) -> (kind: Substring, url: HTTPURL)? {
        guard let colon = address.firstRange(of: "://") else { return nil }
        let words = address[..<colon.lowerBound].split(separator: "+", omittingEmptySubsequences: false)
        let rest = address[colon.upperBound...]
        guard let kind = words.first, words.count <= 2, let secure = try? HTTPURL("https://\(rest)"),
            secure.query == nil
        else { return nil }
        let scheme = words.count == 2 ? String(words[1]) : secure.isLoopback && isPlain(kind) ? "http" : "https"
        guard ["http", "https"].contains(scheme), let url = try? HTTPURL(service: "\(scheme)://\(rest)") else {
            return nil
        }
        return (kind, url)
    }
}

/// The words of a payee's service for a payer who has paid.
package struct PayeeMessage: Sendable {
    /// The text.
    package let text: String
    /// A page of the service's own.
    package let page: String?
    /// The bought thing itself, such as a voucher's code.
    package let secret: String?

    package init(_ text: String, page: String? = nil, secret: String? = nil) {
        self.text = text
        self.page = page
        self.secret = secret
    }
}

/// A wallet of the payer's own, opened.
package struct OpenedWallet: Sendable {
    /// Its software and place, for people.
    package let name: String
    /// The settler that pays from it, or nil if it was opened without orders.
    package let settler: (any PaymentSettler)?
    /// Returns the most that the payment of an option may cost in addition to its amount, or nil if that is not
    /// limited.
    package let feeLimit: @Sendable (PaymentMethodOption) -> Money?
    /// Returns the words of the payee's service, once the settlement of this name is made, or nil if it has none.
    package let message: @Sendable (String) async -> PayeeMessage?
    /// Asks whether it can be paid from, and returns what it says, for people.
    package let check: @Sendable () async throws -> String

    package init(
        name: String, settler: (any PaymentSettler)?, feeLimit: @escaping @Sendable (PaymentMethodOption) -> Money?,
        message: @escaping @Sendable (String) async -> PayeeMessage?,
        check: @escaping @Sendable () async throws -> String
    ) {
        self.name = name
        self.message = message
        self.settler = settler
        self.feeLimit = feeLimit
        self.check = check
    }
}
