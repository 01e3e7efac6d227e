package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the init data.
///
/// The reading is as lenient as the vendor's two parsers together, and more lenient if nothing depends on a member
/// (Protocol 1.6).
package struct SessionPayload: Sendable {
    package let token: Redacted<String>
    package let holderReference: String?
    package let amount: PayrailsAmount
    package let vault: VaultBody?
    /// The data for storing cards in a session that has no payment.
    package let tokenization: TokenizationBody?
    /// The payment of the session; nil in a session for storing cards.
    package let execution: ExecutionSetup?
    package let instrumentDelete: LinkBody?
    package let instrumentUpdate: LinkBody?

    /// The data for storing cards.
    package struct VaultBody: Decodable, Sendable {
        package struct Links: Decodable, Sendable {
            package let saveInstrument: LinkBody?
        }

        package let providerConfigId: String?
        package let encryptionPublicKey: Lenient<String>?
        package let links: Links?
    }

    /// The data for storing cards in a session that has no payment. Complete, or nil.
    package struct TokenizationBody: Sendable {
        /// A UUID.
        package let id: String
        package let publicKey: String
        package let vaultProviderConfigId: String?
        package let tokenize: LinkBody

        init?(_ json: JSONValue?) {
            guard let id = json?["id"]?.string, UUID(uuidString: id) != nil,
                let key = json?["publicKey"]?.string,
                let link = try? json?["links"]?["tokenize"]?.decode(LinkBody.self), link.href != nil
            else { return nil }
            self.id = id
            publicKey = key
            vaultProviderConfigId = json?["vaultProviderConfigId"]?.string
            tokenize = link
        }
    }

    /// The payment of a session.
    package struct ExecutionSetup: Sendable {
        package let id: String
        package let links: ExecutionLinksBody
        package let merchantReference: String
        package let options: [OptionGroup]
        package let authorize: LinkBody?
        /// The status at the time of the session's creation.
        package let status: StatusHistory.Status
        /// The attempts before that time.
        package let tried: StatusHistory.Mark
    }

    /// The ways to pay of one lookup.
    package struct OptionGroup: Sendable {
        package let isLookup: Bool
        package let options: [OptionBody]
    }

    /// The key for the encryption of cards; nil if there is none.
    package var encryptionKey: String? { tokenization?.publicKey ?? vault?.encryptionPublicKey?.value }

    /// Reads init data.
    ///
    /// - Throws: ``PayrailsError``: `invalidDataFormat`, or `missingData` with the path of the member.
    package init(_ data: PayrailsInitData) throws(PayrailsError) {
        guard var bytes = Data(base64Encoded: data.data).map(Array.init) else { throw .invalidDataFormat }
        // RFC 8259 section 8.1 lets parsers ignore a byte order mark, and the vendor's does.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let json = try? JSONValue(parsing: bytes), json.object != nil else { throw .invalidDataFormat }
        try self.init(json)
    }

    init(_ json: JSONValue) throws(PayrailsError) {
        let members: Members
        do { members = try json.decode(Members.self) } catch { throw .missingData(WireText.place(of: error)) }
        guard !members.token.isEmpty else { throw .missingData("'token' is empty") }
        token = Redacted(members.token)
        holderReference = members.holderReference
        amount = members.amount
        vault = members.vaultConfiguration
        tokenization = TokenizationBody(members.tokenization)
        execution = members.execution?.setup
        instrumentDelete = members.links?.instrumentDelete
        instrumentUpdate = members.links?.instrumentUpdate
        if let execution, !PathSegment.isSafe(execution.id) {
            throw .unknown(error: PayrailsUnderlyingError.unusableInitData("'execution.id' is not an id"))
        }
        for address in serviceAddresses.compactMap(\.self) {
            // An invalid address is reported by the call that needs it.
            if let url = try? HTTPURL(address) { try AddressRule.checkIsPrivate(url) }
        }
    }
}

extension SessionPayload {
    /// The known ways to pay, each method once: as in the first lookup that has it.
    package var options: [OptionBody] {
        var seen: Set<String> = []
        var options: [OptionBody] = []
        for group in lookups {
            let new = group.filter { $0.type != nil && !seen.contains($0.paymentMethodCode) }
            seen.formUnion(new.map(\.paymentMethodCode))
            options += new
        }
        return options
    }

    /// Returns the first option of `type` in the first lookup that has one.
    package func option(_ type: Payrails.PaymentType) -> OptionBody? {
        options.first { $0.type == type }
    }

    /// Returns the first option with this code.
    package func option(code: String) -> OptionBody? { options.first { $0.paymentMethodCode == code } }

    /// Returns the usable stored instruments of `type`, each once: those of the first lookup that has any.
    package func instruments(_ type: Payrails.PaymentType) -> [any StoredInstrument] {
        for group in lookups {
            let found = group.filter { $0.type == type }.flatMap(\.instruments)
            if !found.isEmpty { return InstrumentBody.usable(found) }
        }
        return []
    }

    /// Rejects a type of payment that could only fail.
    ///
    /// - Throws: ``PayrailsError``: `unsupportedPayment`, `incorrectPaymentSetup` or `missingData`.
    package func require(_ type: Payrails.PaymentType) throws(PayrailsError) {
        guard let execution, let option = option(type) else { throw .unsupportedPayment(type: type) }
        switch type {
        case .card: _ = try vaultID()
        case .payPal:
            guard option.config?["clientId"]?.string != nil, option.config?["merchantId"]?.string != nil else {
                throw .incorrectPaymentSetup(type: type)
            }
        case .applePay, .genericRedirect: break
        }
        guard execution.authorize != nil else { throw .missingData("the link 'authorize'") }
    }

    /// Returns true if a payment of `type` can be begun.
    package func isPayable(_ type: Payrails.PaymentType) -> Bool {
        do { try require(type) } catch { return false }
        return true
    }

    /// Returns the id of the vault configuration that decrypts cards for payments at the service.
    ///
    /// - Throws: ``PayrailsError``, `missingData`.
    func vaultID() throws(PayrailsError) -> String {
        guard let id = vault?.providerConfigId?.nonEmpty else {
            throw .missingData("'vaultConfiguration.providerConfigId', which card payments need")
        }
        return id
    }

    private var lookups: [[OptionBody]] { execution?.options.filter(\.isLookup).map(\.options) ?? [] }
}

// MARK: - Options and instruments

/// A way to pay, as the init data lists it. A member other than its two names is nil if it has another form.
package struct OptionBody: Sendable {
    package struct Client: Sendable {
        package let displayName: String?
        package let flow: String?
        package let supportsSaveInstrument: Bool?
        package let supportsBillingInfo: Bool?
    }

    package let integrationType: String
    package let paymentMethodCode: String
    package let description: String?
    package let config: JSONValue?
    package let clientConfig: Client?
    package let paymentInstruments: [JSONValue]

    /// Creates an option; nil without one of the two names.
    init?(_ json: JSONValue) {
        guard let integration = json["integrationType"]?.string, let code = json["paymentMethodCode"]?.string else {
            return nil
        }
        integrationType = integration
        paymentMethodCode = code
        description = json["description"]?.string
        config = json["config"]
        let client = json["clientConfig"]
        clientConfig = client?.object.map { _ in
            Client(
                displayName: client?["displayName"]?.string, flow: client?["flow"]?.string,
                supportsSaveInstrument: client?["supportsSaveInstrument"]?.bool,
                supportsBillingInfo: client?["supportsBillingInfo"]?.bool)
        }
        paymentInstruments = json["paymentInstruments"]?.array ?? []
    }

    /// The type of the payment; nil if it is unknown here.
    package var type: Payrails.PaymentType? {
        if let type = Payrails.PaymentType(rawValue: paymentMethodCode) { return type }
        return clientConfig?.flow == "redirect" || integrationType == "hpp" ? .genericRedirect : nil
    }

    /// The stored instruments, without those that cannot be read.
    var instruments: [any StoredInstrument] {
        guard let type else { return [] }
        return paymentInstruments.compactMap { InstrumentBody.read($0, as: type) }
    }
}

/// Reading of stored instruments in options and in the service's list.
enum InstrumentBody {
    /// Returns the instrument in `json`; nil without an id or a status, and for types that are not stored. Any other
    /// member is nil if it has another form.
    static func read(_ json: JSONValue, as type: Payrails.PaymentType) -> (any StoredInstrument)? {
        guard let id = json["id"]?.string, let status = json["status"]?.string else { return nil }
        let isDefault = json["default"]?.bool ?? false
        switch type {
        case .card:
            return StoredCardInstrument(
                id: id, bin: json["data"]?["bin"]?.string, suffix: json["data"]?["suffix"]?.string,
                displayName: json["displayName"]?.string, status: status, isDefault: isDefault,
                expiry: expiry(json["data"]))
        case .payPal:
            return StoredPayPalInstrument(
                id: id, email: json["data"]?["email"]?.string, status: status, isDefault: isDefault)
        case .applePay, .genericRedirect: return nil
        }
    }

    /// Returns the month until whose end a card is valid, as `MM/YY`; nil unless both parts are well-formed.
    private static func expiry(_ data: JSONValue?) -> String? {
        guard let month = data?["expiryMonth"]?.string, let year = data?["expiryYear"]?.string,
            (1...2).contains(month.utf8.count), [2, 4].contains(year.utf8.count),
            (month + year).utf8.allSatisfy(\.isASCIIDigit), let number = Int(month), (1...12).contains(number)
        else { return nil }
        return "\(number < 10 ? "0" : "")\(number)/\(year.suffix(2))"
    }

    /// Returns the usable instruments of `list`, each once.
    static func usable(_ list: [any StoredInstrument]) -> [any StoredInstrument] {
        var seen: Set<String> = []
        return list.filter { $0.isUsable && PathSegment.isSafe($0.id) && seen.insert($0.id).inserted }
    }
}

/// The service's list of a holder's stored instruments.
package struct InstrumentList: Sendable {
    /// The usable instruments by type, in the service's order.
    package let instruments: [Payrails.PaymentType: [any StoredInstrument]]
    /// True if the list has further pages. An instrument that is not in the list may still be stored then.
    package let hasMore: Bool

    /// Creates a list from `{"results": […]}`.
    ///
    /// - Throws: ``PayrailsError`` if there is no list.
    init(_ json: JSONValue) throws(PayrailsError) {
        guard let results = json["results"]?.array else {
            throw .unknown(error: PayrailsUnderlyingError.unusableAnswer("'results' is missing"))
        }
        var found: [Payrails.PaymentType: [any StoredInstrument]] = [:]
        for result in results {
            guard let type = result["paymentMethod"]?.string.flatMap(Payrails.PaymentType.init),
                let instrument = InstrumentBody.read(result, as: type)
            else { continue }
            found[type, default: []].append(instrument)
        }
        instruments = found.mapValues(InstrumentBody.usable)
        // The service's form of paging is unknown; these names are common.
        let marks = [json["next"], json["nextCursor"], json["cursor"], json["pagination"], json["links"]?["next"]]
        hasMore = marks.contains { $0.map { !$0.isNull && $0 != "" } ?? false }
    }
}

extension StoredInstrument {
    /// True if the status is usable: `enabled` or `created`, in any letter case.
    var isUsable: Bool {
        let status = (self as? StoredCardInstrument)?.status ?? (self as? StoredPayPalInstrument)?.status
        return status.map { ["enabled", "created"].contains($0.lowercased()) } ?? true
    }
}

// MARK: - Decoding

/// The members of the init data for decoding.
private struct Members: Decodable {
    struct Links: Decodable {
        let instrumentDelete: LinkBody?
        let instrumentUpdate: LinkBody?
    }

    struct Execution: Decodable {
        let id: String
        let merchantReference: String
        let links: ExecutionLinksBody
        let initialResults: [InitialResult]
        // Read for the earlier attempts only.
        let status: [JSONValue]?
    }

    struct InitialResult: Decodable {
        struct Body: Decodable {
            struct Content: Decodable {
                // An element that a newer or older service leaves incomplete is not an option, and not a failure.
                let paymentCompositionOptions: [JSONValue]?
            }

            struct Links: Decodable {
                let authorize: LinkBody?
            }

            let name: String
            let data: Content?
            let links: Links?
        }

        let body: Body
    }

    let token: String
    let holderReference: String?
    let amount: PayrailsAmount
    let vaultConfiguration: SessionPayload.VaultBody?
    let tokenization: JSONValue?
    let execution: Execution?
    let links: Links?
}

extension Members.Execution {
    var setup: SessionPayload.ExecutionSetup {
        let entries = status ?? []
        let read = entries.compactMap { try? $0.decode(StatusBody.self) }
        let history = StatusHistory(read)
        return SessionPayload.ExecutionSetup(
            id: id, links: links, merchantReference: merchantReference,
            options: initialResults.map { result in
                SessionPayload.OptionGroup(
                    isLookup: result.body.name == "lookup",
                    options: (result.body.data?.paymentCompositionOptions ?? []).compactMap(OptionBody.init))
            },
            authorize: initialResults.lazy.compactMap(\.body.links?.authorize).first { $0.href?.isEmpty == false },
            // An unreadable status may mean that a payment was begun: the service is queried before another one begins.
            status: read.count == entries.count ? history.status : .inFlight, tried: history.mark)
    }
}

/// A member that is nil if it has another form than expected.
package struct Lenient<Value: Decodable & Sendable>: Decodable, Sendable {
    package let value: Value?

    package init(from decoder: any Decoder) throws {
        value = try? decoder.singleValueContainer().decode(Value.self)
    }
}
