package import PaymentCore

extension Payer {
    /// Takes the first option, whatever it costs.
    package static let careless = Payer(policy: .firstWhateverItCosts)
}
