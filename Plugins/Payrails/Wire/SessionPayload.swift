package import PaymentCore
package import PayrailsTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the init data.
package struct SessionPayload: Sendable {
    package let token: Redacted<String>
    package let holderReference: String?
    package let amount: PayrailsAmount
    package let vault: VaultBody?
    package let execution: ExecutionSetup
    package let instrumentDelete: LinkBody?
    package let instrumentUpdate: LinkBody?
    /// What the token is encrypted to cards with, where there is one.
    package let encryptionKey: String?
    package let encryptionProviderConfigID: String?

    /// The way to store cards.
    package struct VaultBody: Decodable, Sendable {
        package struct Links: Decodable, Sendable {
            package let saveInstrument: LinkBody?
        }

        package let providerConfigId: String?
        package let encryptionPublicKey: String?
        package let links: Links?
    }

    /// The payment that is to be made.
    package struct ExecutionSetup: Sendable {
        package let id: String
        package let links: ExecutionLinksBody
        package let merchantReference: String
        package let options: [OptionGroup]
        package let authorize: LinkBody?
        /// Where it stood when the session was made.
        package let standing: StatusHistory.Standing
        /// What was tried before that.
        package let tried: StatusHistory.Mark
    }

    /// The ways to pay of one lookup.
    package struct OptionGroup: Sendable {
        package let isLookup: Bool
        package let options: [OptionBody]
    }

    /// Reads init data.
    ///
    /// - Throws: ``PayrailsError``: `invalidDataFormat`, or `missingData` with the path of the member.
    package init(_ data: PayrailsInitData) throws(PayrailsError) {
        guard let bytes = Data(base64Encoded: data.data), let json = try? JSONValue(parsing: Array(bytes)),
            json.object != nil
        else { throw .invalidDataFormat }
        try self.init(json)
    }

    init(_ json: JSONValue) throws(PayrailsError) {
        do { self = try json.decode(Members.self).payload() } catch let error as PayrailsError { throw error } catch {
            throw .missingData(WireText.place(of: error))
        }
        guard PathSegment.isSafe(execution.id) else {
            throw .unknown(error: PayrailsFault.unusableInitData("'execution.id' is not an id"))
        }
        for address in serviceAddresses.compactMap(\.self) {
            // What is no address at all is said where it is needed.
            if let url = try? HTTPURL(address) { try AddressRule.checkIsPrivate(url) }
        }
    }
}

/// The init data's members as they are decoded.
private struct Members: Decodable {
    struct Links: Decodable {
        let instrumentDelete: LinkBody?
        let instrumentUpdate: LinkBody?
    }

    struct Tokenization: Decodable {
        let publicKey: String?
        let vaultProviderConfigId: String?
    }

    struct Execution: Decodable {
        let id: String
        let merchantReference: String
        let links: ExecutionLinksBody
        let initialResults: [InitialResult]
        // Only what was tried before is read from them; what cannot be read was not.
        let status: [JSONValue]?
    }

    struct InitialResult: Decodable {
        struct Body: Decodable {
            struct Content: Decodable {
                // Elements that a newer or older service leaves incomplete are no option and no reason to fail.
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
    let tokenization: Tokenization?
    let execution: Execution
    let links: Links?

    func payload() throws -> SessionPayload {
        guard !token.isEmpty else { throw PayrailsError.missingData("'token' is empty") }
        let history = StatusHistory((execution.status ?? []).compactMap { try? $0.decode(StatusBody.self) })
        return SessionPayload(
            token: token, holderReference: holderReference, amount: amount, vault: vaultConfiguration,
            execution: SessionPayload.ExecutionSetup(
                id: execution.id, links: execution.links, merchantReference: execution.merchantReference,
                options: execution.initialResults.map { result in
                    SessionPayload.OptionGroup(
                        isLookup: result.body.name == "lookup",
                        options: (result.body.data?.paymentCompositionOptions ?? []).compactMap {
                            try? $0.decode(OptionBody.self)
                        })
                },
                authorize: execution.initialResults.lazy.compactMap(\.body.links?.authorize)
                    .first { $0.href?.isEmpty == false },
                standing: history.standing, tried: history.mark),
            links: links?.instrumentDelete, links?.instrumentUpdate,
            key: tokenization?.publicKey ?? vaultConfiguration?.encryptionPublicKey,
            tokenization?.vaultProviderConfigId ?? vaultConfiguration?.providerConfigId)
    }
}

extension SessionPayload {
    fileprivate init(
        token: String, holderReference: String?, amount: PayrailsAmount, vault: VaultBody?, execution: ExecutionSetup,
        links delete: LinkBody?, _ update: LinkBody?, key: String?, _ provider: String?
    ) {
        self.token = Redacted(token)
        self.holderReference = holderReference
        self.amount = amount
        self.vault = vault
        self.execution = execution
        instrumentDelete = delete
        instrumentUpdate = update
        encryptionKey = key
        encryptionProviderConfigID = provider
    }
}
