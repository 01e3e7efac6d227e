import PayrailsProvider

extension PayrailsSession {
    /// Returns the session's value of `key`; nil if the session has none.
    public func query(_ key: PayrailsQueryKey) -> PayrailsQueryResult? {
        let payload = payload
        func link(_ link: LinkBody?) -> PayrailsQueryResult? {
            link.map { .link(PayrailsLink(method: $0.method, href: $0.href)) }
        }
        return switch key {
        case .holderReference: payload.holderReference.map(PayrailsQueryResult.string)
        case .amount: .amount(amount)
        case .executionId: payload.execution.map { .string($0.id) }
        case .binLookup: link(payload.execution?.links.lookup)
        case .instrumentDelete: link(payload.instrumentDelete)
        case .instrumentUpdate: link(payload.instrumentUpdate)
        case .paymentMethodConfig(.specific(let code)):
            payload.option(code: code).map { .paymentOptions([$0.publicOption]) }
        case .paymentMethodConfig(let filter): .paymentOptions(getPaymentMethodConfig(filter))
        case .paymentMethodInstruments(let type): .storedInstruments(storedInstruments(for: type))
        }
    }

    /// Returns the ways to pay that the session offers and this library knows.
    public func getPaymentMethodConfig(_ filter: PaymentMethodFilter = .all) -> [PayrailsPaymentOption] {
        payload.options.map(\.publicOption).filter { option in
            switch filter {
            case .all: true
            case .redirect: option.clientConfig?.flow == "redirect"
            case .specific(let code): option.paymentMethodCode == code
            }
        }
    }
}

extension OptionBody {
    /// The option in its public form.
    var publicOption: PayrailsPaymentOption {
        PayrailsPaymentOption(
            paymentMethodCode: paymentMethodCode, description: description, integrationType: integrationType,
            clientConfig: clientConfig.map {
                PayrailsPaymentOption.ClientConfig(
                    displayName: $0.displayName, flow: $0.flow, supportsSaveInstrument: $0.supportsSaveInstrument,
                    supportsBillingInfo: $0.supportsBillingInfo)
            })
    }
}
