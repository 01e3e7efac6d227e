package import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the init data.
///
/// As lenient as the vendor's two parsers together, and more so where nothing depends on it (Protocol 1.6).
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

/// A member that is nil if it has another form than expected.
package struct Lenient<Value: Decodable & Sendable>: Decodable, Sendable {
    package let value: Value?

    package init(from decoder: any Decoder) throws {
        value = try? decoder.singleValueContainer().decode(Value.self)
    }
}

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
