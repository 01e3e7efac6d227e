public import PaymentCore
public import PayrailsProvider

extension PayrailsMerchantClient {
    /// Lists the instruments stored for `holder`: the first page, in the service's size. Omits instruments that cannot
    /// be read.
    ///
    /// - Throws: ``PaymentError`` if the request fails.
    public func instruments(of holder: String) async throws(PaymentError) -> [InstrumentResponse] {
        let answer = try await asMerchant(id) { () throws(CallError) in
            try await calls.send(
                .get, ["payment", "instruments"], query: [("filter[holderReference]", holder)])
        }
        return (answer["results"]?.array ?? []).compactMap { try? $0.decode(InstrumentResponse.self) }
    }

    /// Deletes a stored instrument.
    ///
    /// - Throws: ``PaymentError``; `notFound` if there is no instrument of this id.
    public func deleteInstrument(_ instrument: String) async throws(PaymentError) {
        try await asMerchant(id) { () throws(CallError) in
            let answer = try await calls.send(
                .delete, try path(instrument), key: calls.random.uuid())
            guard answer["success"]?.bool ?? true else { throw .unusableAnswer("it says that nothing was deleted") }
        }
    }

    /// Changes a stored instrument, as far as the service lets merchants: its status, `enabled` or `disabled`, its
    /// references, and whether the holder prefers it.
    ///
    /// - Returns: the instrument after the change.
    /// - Throws: ``PaymentError``.
    public func updateInstrument(
        _ instrument: String, _ change: UpdateInstrumentBody
    ) async throws(PaymentError) -> InstrumentResponse {
        guard change.status.map({ ["enabled", "disabled"].contains($0) }) ?? true else {
            throw PaymentError(
                .requestRefused,
                "the state of an instrument can be set to 'enabled' or 'disabled'; deleting is a separate call",
                provider: id)
        }
        return try await asMerchant(id) { () throws(CallError) in
            guard let body = try? JSONValue.encode(change) else { throw .unsendable("the change cannot be written") }
            return try Self.instrument(
                try await calls.send(
                    .patch, try path(instrument), body: body, key: calls.random.uuid()))
        }
    }

    /// Stores a card that was encrypted for the service.
    ///
    /// - Parameters:
    ///   - encryptedData: the compact JWE, with the holder in it. A server, or an app, made it with the ``vaultKey()``.
    ///   - holder: the merchant's own reference of the payer.
    ///   - providerConfig: the id of the vault configuration, if the workspace has several.
    ///   - options: the options for storing it.
    /// - Returns: the instrument.
    /// - Throws: ``PaymentError``.
    public func saveInstrument(
        encryptedData: Redacted<String>, holder: String, providerConfig: String? = nil,
        options: TokenizeOptions = TokenizeOptions(storeInstrument: true)
    ) async throws(PaymentError) -> InstrumentResponse {
        var data: JSONValue = ["encryptedData": .string(encryptedData.reveal())]
        data["vaultProviderConfigId"] = providerConfig.map(JSONValue.string)
        let body: JSONValue = [
            "holderReference": .string(holder), "paymentMethod": "card",
            "futureUsage": .string(options.futureUsage.rawValue),
            "storeInstrument": .bool(options.storeInstrument), "data": data,
        ]
        return try await asMerchant(id) { () throws(CallError) in
            try Self.instrument(
                try await calls.send(
                    .post, ["payment", "instruments"], body: body, key: key(["save", body.text])))
        }
    }

    /// Returns the key for the encryption of card data, valid for its stated lifetime.
    ///
    /// - Throws: ``PaymentError``.
    public func vaultKey() async throws(PaymentError) -> PayrailsVaultKey {
        try await asMerchant(id) { () throws(CallError) in
            let answer = try await calls.send(.get, ["merchant", "vault", "public-info"])
            guard let key = answer["encryptionPublicKey"]?.string, !key.isEmpty else {
                throw .unusableAnswer("it holds no 'encryptionPublicKey'")
            }
            return PayrailsVaultKey(
                publicKey: key, id: WireText.code(answer["encryptionKeyId"]?.string),
                lifetime: answer["expiresIn"]?.number?.seconds)
        }
    }

    private func path(_ instrument: String) throws(CallError) -> [String] {
        guard PathSegment.isSafe(instrument) else { throw .unsendable("the instrument's id is not one of Payrails'") }
        return ["payment", "instruments", instrument]
    }

    private static func instrument(_ answer: JSONValue) throws(CallError) -> InstrumentResponse {
        do { return try answer.decode(InstrumentResponse.self) } catch {
            throw .unusableAnswer("it is not an instrument: \(WireText.place(of: error))")
        }
    }
}

/// The key for the encryption of card data for the service (Protocol 5).
public struct PayrailsVaultKey: Sendable, Hashable {
    /// Base64 of SubjectPublicKeyInfo.
    public let publicKey: String
    /// The key's id, which belongs in the header of a server's JWE.
    public let id: String?
    /// The lifetime of the key, if the service states one.
    public let lifetime: Duration?
}
