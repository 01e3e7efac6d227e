public import PayrailsProvider

/// The keys that a session can be queried for.
public enum PayrailsQueryKey: Sendable, Hashable {
    /// The merchant's reference of the payer.
    case holderReference
    /// The amount of later payments.
    case amount
    /// The id of the execution, that is, of the payment.
    case executionId
    /// The address that looks up the first digits of a card.
    case binLookup
    /// The address that deletes instruments.
    case instrumentDelete
    /// The address that changes instruments.
    case instrumentUpdate
    /// The ways to pay.
    case paymentMethodConfig(PaymentMethodFilter)
    /// The stored instruments of a type.
    case paymentMethodInstruments(type: Payrails.PaymentType)
}

/// An answer of a session.
public enum PayrailsQueryResult: Sendable {
    /// A text.
    case string(String)
    /// An amount.
    case amount(PayrailsAmount)
    /// An address.
    case link(PayrailsLink)
    /// Ways to pay.
    case paymentOptions([PayrailsPaymentOption])
    /// Stored instruments.
    case storedInstruments([any StoredInstrument])
}

/// An address and its HTTP method, as the service writes them.
public struct PayrailsLink: Sendable, Hashable {
    /// The HTTP method.
    public let method: String?
    /// The address.
    public let href: String?
}

/// A way to pay that the session offers.
public struct PayrailsPaymentOption: Sendable, Hashable {
    /// The merchant's configuration of the option.
    public struct ClientConfig: Sendable, Hashable {
        /// The name to show to the payer.
        public let displayName: String?
        /// The flow of the payment, such as `redirect`.
        public let flow: String?
        /// True if the instrument can be stored for later payments.
        public let supportsSaveInstrument: Bool?
        /// True if the option takes a billing address.
        public let supportsBillingInfo: Bool?
    }

    /// The service's code of the method.
    public let paymentMethodCode: String
    /// The service's description of the option.
    public let description: String?
    /// The kind of integration, such as `api`.
    public let integrationType: String
    /// The merchant's configuration of the option.
    public let clientConfig: ClientConfig?
}

/// The filter of a list of options.
public enum PaymentMethodFilter: Sendable, Hashable {
    /// All.
    case all
    /// The options that are completed on a separate page.
    case redirect
    /// The options with this code.
    case specific(String)
}

/// The changes to a session.
public struct UpdateOptions: Sendable, Hashable {
    /// The amount of later payments; nil leaves it unchanged.
    public var amount: PayrailsAmount?

    /// Creates options.
    public init(amount: PayrailsAmount? = nil) { self.amount = amount }
}

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
