package import PaymentCore
package import PayrailsTypes

/// A way to pay, as the init data lists it.
package struct OptionBody: Decodable, Sendable {
    package struct Client: Decodable, Sendable {
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
    package let paymentInstruments: JSONValue?

    /// What kind of payment it is; nil when it is none that is known here.
    package var type: Payrails.PaymentType? {
        if let type = Payrails.PaymentType(rawValue: paymentMethodCode) { return type }
        return clientConfig?.flow == "redirect" || integrationType == "hpp" ? .genericRedirect : nil
    }

    /// The stored instruments; what cannot be read is left out, the rest stays.
    var instruments: [any StoredInstrument] {
        let elements = paymentInstruments?.array ?? []
        switch type {
        case .card: return elements.compactMap { (try? $0.decode(Card.self))?.instrument }
        case .payPal: return elements.compactMap { (try? $0.decode(PayPal.self))?.instrument }
        default: return []
        }
    }

    private struct Card: Decodable {
        struct Content: Decodable {
            let bin: String?
            let suffix: String?
        }

        let id: String
        let status: String
        let data: Content?
        let displayName: String?
        let `default`: Bool?

        var instrument: StoredCardInstrument {
            StoredCardInstrument(
                id: id, bin: data?.bin, suffix: data?.suffix, displayName: displayName, status: status,
                isDefault: `default` ?? false)
        }
    }

    private struct PayPal: Decodable {
        struct Content: Decodable {
            let email: String?
        }

        let id: String
        let status: String
        let data: Content?
        let `default`: Bool?

        var instrument: StoredPayPalInstrument {
            StoredPayPalInstrument(id: id, email: data?.email, status: status, isDefault: `default` ?? false)
        }
    }
}

extension SessionPayload {
    /// The first option of `type` in the first lookup that has one.
    package func option(_ type: Payrails.PaymentType) -> OptionBody? {
        options.first { $0.type == type }
    }

    /// The first option with this code.
    package func option(code: String) -> OptionBody? { options.first { $0.paymentMethodCode == code } }

    /// All options of all lookups, in order.
    package var options: [OptionBody] { execution.options.filter(\.isLookup).flatMap(\.options) }

    /// The stored instruments of `type` that are usable: those of the first lookup that has any.
    package func instruments(_ type: Payrails.PaymentType) -> [any StoredInstrument] {
        for group in execution.options where group.isLookup {
            let found = group.options.filter { $0.type == type }.flatMap(\.instruments)
            if !found.isEmpty { return found.filter { $0.isUsable && PathSegment.isSafe($0.id) } }
        }
        return []
    }
}

extension StoredInstrument {
    /// Whether the service calls it usable: `enabled` or `created`, in any case.
    var isUsable: Bool {
        let status = (self as? StoredCardInstrument)?.status ?? (self as? StoredPayPalInstrument)?.status
        return status.map { ["enabled", "created"].contains($0.lowercased()) } ?? true
    }
}
