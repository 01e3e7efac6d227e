public import PayrailsTypes

/// What can be changed about a session.
public struct UpdateOptions: Sendable, Hashable {
    /// The amount of later payments; nil leaves it.
    public var amount: PayrailsAmount?

    /// Creates options.
    public init(amount: PayrailsAmount? = nil) { self.amount = amount }
}

/// An address and how to call it, as the service writes it.
public struct PayrailsLink: Sendable, Hashable {
    /// The HTTP method.
    public let method: String?
    /// The address.
    public let href: String?
}

/// A way to pay that the session offers.
public struct PayrailsPaymentOption: Sendable, Hashable {
    /// What the merchant's setup says about it.
    public struct ClientConfig: Sendable, Hashable {
        /// The name for people.
        public let displayName: String?
        /// How it is carried out, such as `redirect`.
        public let flow: String?
        /// Whether it can be kept for later.
        public let supportsSaveInstrument: Bool?
        /// Whether it takes a billing address.
        public let supportsBillingInfo: Bool?
    }

    /// The service's code of the method.
    public let paymentMethodCode: String
    /// The service's words for it.
    public let description: String?
    /// How it is integrated, such as `api`.
    public let integrationType: String
    /// What the merchant's setup says about it.
    public let clientConfig: ClientConfig?
}

/// Which options to list.
public enum PaymentMethodFilter: Sendable, Hashable {
    /// All.
    case all
    /// Those that are finished on a page of their own.
    case redirect
    /// Those with this code.
    case specific(String)
}

/// What a session can be asked for.
public enum PayrailsQueryKey: Sendable, Hashable {
    /// The merchant's reference of the payer.
    case holderReference
    /// The amount of later payments.
    case amount
    /// The id of the execution: of the payment.
    case executionId
    /// Where digits of a card can be looked up.
    case binLookup
    /// Where instruments are deleted.
    case instrumentDelete
    /// Where instruments are changed.
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
