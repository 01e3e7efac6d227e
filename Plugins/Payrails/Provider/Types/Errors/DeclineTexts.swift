/// Texts for payers for the service's reason codes of a decline. Suspicions of fraud are not revealed.
package enum DeclineTexts {
    /// English texts to follow a colon, by the documented result of an operation.
    package static let english = [
        "BlockedInstrument": "this payment method is blocked", "ExpiredInstrument": "the card has expired",
        "FraudRisk": "the bank refused it", "GenericRejection": "the bank refused it",
        "InstrumentNotAllowed": "this payment method cannot be used here",
        "InsufficientBalance": "there is not enough money", "InvalidInstrument": "the card's details are not right",
        "LimitExceeded": "it is over a limit of the card or account", "PayerCanceled": "you cancelled it",
        "PayerAuthenticationFailed": "the bank could not confirm that it is you",
        "PayerAuthenticationRequired": "the bank wants to know that it is you",
    ]
}
