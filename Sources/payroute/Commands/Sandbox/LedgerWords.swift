import PaymentSandbox

extension SandboxLedger {
    /// What happened to a payment, in a few words: `created, confirm requested, captured, settled`. Money taken twice would show as two captures.
    func words(for payment: String) -> String {
        events(of: payment).map { event in
            switch event {
            case .created: "created"
            case .confirmRequested: "confirm requested"
            case .authorized: "authorized"
            case .captured: "captured"
            case .settled: "settled"
            case .refunded: "refunded"
            case .failed: "failed"
            case .cancelled: "cancelled"
            case .expired: "expired"
            }
        }.joined(separator: ", ")
    }
}
