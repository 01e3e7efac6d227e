package import PaymentCore

extension Payer {
    /// A payer that takes the first option at any cost.
    package static let careless = Payer(policy: .firstWhateverItCosts)
}
