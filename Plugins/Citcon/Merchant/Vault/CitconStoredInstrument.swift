import CitconProvider
public import PaymentCore

/// A payer's account that Citcon stores for later payments: a card, PayPal, Venmo or Cash App.
///
/// Only the paths of these calls are public. The members are a guess by analogy with charges (Protocol 2.11).
public struct CitconStoredInstrument: Sendable, Hashable {
    /// The token for an app's payment, as `payment.token`: it works only together with the same ``consumer``.
    public let token: Redacted<String>
    /// The merchant's own id of the payer.
    public let consumer: Redacted<String>
    /// The payment method.
    public let method: String
    /// The card's number, as far as Citcon shows it.
    public let pan: Redacted<String>?
    /// The card's month of expiry.
    public let expiry: Redacted<String>?

    /// - Throws: ``PaymentError`` with code `invalidResponse`.
    init(_ json: JSONValue, at merchant: ProviderID) throws(PaymentError) {
        guard let token = (json["id"] ?? json["token"])?.string, !token.isEmpty,
            let consumer = json["consumer"]?["reference"]?.string, let method = json["payment"]?["method"]?.string
        else {
            throw PaymentError(
                .invalidResponse, "Citcon describes a stored account in another way than this version expects",
                provider: merchant, phase: .answered)
        }
        func text(_ value: JSONValue?) -> Redacted<String>? {
            value?.string.flatMap { $0.isEmpty ? nil : Redacted($0) }
        }
        self.token = Redacted(token)
        self.consumer = Redacted(consumer)
        self.method = method
        pan = text(json["payment"]?["data"]?["pan"])
        expiry = text(json["payment"]?["data"]?["expiry"])
    }
}

/// A choice that a payment method offers, such as a bank or a wallet.
public struct CitconChoice: Sendable, Hashable {
    /// Citcon's id of the choice.
    public let id: String
    /// The display name, or the id if Citcon states none.
    public let name: String

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, !id.isEmpty else { return nil }
        self.id = id
        name = json["name"]?.string ?? id
    }
}

// MARK: - Calls

/// Stored accounts, and the choices that a payment method offers.
///
/// An account is stored when an app pays with `payment.requestToken`, and used for payment by `payment.token`; both
/// need the same `consumer.reference`. Only the paths of these calls are public. Bodies and answers are a guess
/// (Protocol 2.11): an answer in another form is an error, never a wrong account. None of the calls moves money.
extension CitconMerchantClient {
    /// Returns a payer's accounts that Citcon stores.
    ///
    /// - Parameter consumer: the merchant's own id of the payer.
    /// - Returns: the accounts.
    /// - Throws: ``PaymentError``; `integrity` when one of them is another payer's.
    public func storedInstruments(
        of consumer: Redacted<String>
    ) async throws(PaymentError) -> [CitconStoredInstrument] {
        let query = [(name: "consumer_reference", value: consumer.reveal())]
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.get(["vault"], query: query)
        }
        guard let data else { return [] }
        guard let list = data["data"]?.array else { throw unexpected("a payer's accounts") }
        var accounts: [CitconStoredInstrument] = []
        for json in list {
            let account = try CitconStoredInstrument(json, at: service.id)
            guard account.consumer == consumer else { throw foreign }
            accounts.append(account)
        }
        return accounts
    }

    /// Returns a stored account by its token; nil when Citcon knows none.
    ///
    /// - Parameter token: Citcon's token of the account.
    /// - Returns: the account; nil when it was deleted or never existed.
    /// - Throws: ``PaymentError``; `integrity` when Citcon answers with another account.
    public func storedInstrument(
        _ token: Redacted<String>
    ) async throws(PaymentError) -> CitconStoredInstrument? {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try CitconService.check(token.reveal(), "the token of the stored account")
            return try await service.get(["vault", token.reveal()])
        }
        guard let data else { return nil }
        let account = try CitconStoredInstrument(data, at: service.id)
        guard account.token == token else { throw foreign }
        return account
    }

    /// Stores a payer's account without a payment, from a nonce of the gateway's own library.
    ///
    /// - Parameters:
    ///   - nonce: the nonce of Braintree's library for a card or an account.
    ///   - method: the payment method.
    ///   - consumer: the merchant's own id of the payer.
    /// - Returns: the account.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may be stored: look with ``storedInstruments(of:)``.
    public func store(
        nonce: Redacted<String>, method: String, of consumer: Redacted<String>
    ) async throws(PaymentError) -> CitconStoredInstrument {
        let account: JSONValue = [
            "consumer": ["reference": .string(consumer.reveal())],
            "payment": ["method": .string(method), "nonce": .string(nonce.reveal())],
        ]
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.prepare() }
        let data = try await asMerchant(service.id, isMutation: true) { () throws(CitconCallError) in
            try await service.store(account)
        }
        do throws(PaymentError) {
            let stored = try CitconStoredInstrument(data, at: service.id)
            guard stored.consumer == consumer, stored.method == method else { throw foreign }
            return stored
        } catch {
            throw error.with(phase: .maybeSent)
        }
    }

    /// Deletes a stored account. A repetition, also after a lost answer, deletes it only once.
    ///
    /// - Parameter token: Citcon's token of the account.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may be deleted, which a repetition settles.
    public func forget(_ token: Redacted<String>) async throws(PaymentError) {
        try await asMerchant(service.id) { () throws(CitconCallError) in
            try CitconService.check(token.reveal(), "the token of the stored account")
        }
        let failure: CitconCallError
        do throws(CitconCallError) { return try await service.forget(token.reveal()) } catch { failure = error }
        if failure.isNotFound { return }
        // An account that no longer exists is deleted, whatever the answer was.
        do throws(PaymentError) {
            if try await storedInstrument(token) == nil { return }
        } catch {}
        throw failure.merchantError(isMutation: true, of: service.id)
    }

    /// Returns the choices that a payment method offers, such as banks.
    ///
    /// - Parameters:
    ///   - method: the payment method.
    ///   - amount: the amount to pay.
    /// - Returns: the choices.
    /// - Throws: ``PaymentError`` when the request fails or the service has no choices for the method.
    public func choices(for method: String, paying amount: Money) async throws(PaymentError) -> [CitconChoice] {
        let query = [
            (name: "method", value: method), (name: "amount", value: "\(amount.minorUnits)"),
            (name: "currency", value: "\(amount.currency)"),
        ]
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.get(["consults"], query: query)
        }
        guard let list = data?["data"]?.array else { throw unexpected("what there is to choose from") }
        return list.compactMap { CitconChoice($0) }
    }

    private var foreign: PaymentError {
        PaymentError(
            .integrity, "Citcon answered with another stored account than was asked for", provider: service.id,
            phase: .answered)
    }

    private func unexpected(_ what: String) -> PaymentError {
        PaymentError(
            .invalidResponse, "Citcon reports \(what) in another way than this version expects", provider: service.id,
            phase: .answered)
    }
}
