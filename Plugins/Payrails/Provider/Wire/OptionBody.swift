package import PaymentCore

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

    /// Returns the id of the vault configuration with which the service decrypts cards for payments.
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
