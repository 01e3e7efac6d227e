import PaymentCore
import TestSupport

/// A settler with a test's answers.
struct ScriptedSettler: ForwardingSettler {
    let base: any PaymentSettler
    /// The test's answer about a name, after that of `base`.
    var order: @Sendable (String, SettlementOrder?) async throws -> SettlementOrder? = { $1 }
    /// The test's answer; nil asks `base`.
    var settle: @Sendable (Settlement) async throws -> SettlementState? = { _ in nil }

    func order(named name: String) async throws -> SettlementOrder? {
        try await order(name, base.order(named: name))
    }
    func settle(_ settlement: Settlement) async throws -> SettlementState {
        if let said = try await settle(settlement) { return said }
        return try await base.settle(settlement)
    }
}

/// The error of a settler that reports nothing.
struct NoWord: Error {}

extension RequestWorld {
    /// Delivers until the link is re-established after a loss, and its messages are repeated.
    func relink() async throws {
        for _ in 0..<4 { try await deliver() }
    }
}

extension PaymentOutcome {
    /// The receipt of a payment; nil if it was not made.
    var receipt: PaymentReceipt? { if case .succeeded(let receipt) = self { receipt.fact } else { nil } }
    /// Why it was declined; nil if it was not.
    var declineReason: DeclineReason? { if case .declined(let reason) = self { reason.fact } else { nil } }
}

func isPaid(_ result: Result<PaymentOutcome, PaymentError>) -> Bool { (try? result.get())?.receipt != nil }

/// True if nothing is stated: the settler may have paid.
func isUnknown(_ result: Result<PaymentOutcome, PaymentError>) -> Bool {
    if case .success(.unknown) = result { true } else { false }
}

func isCancelled(_ result: Result<PaymentOutcome, PaymentError>) -> Bool {
    if case .success(.cancelled) = result { true } else { false }
}

func isDeclined(_ result: Result<PaymentOutcome, PaymentError>) -> Bool {
    (try? result.get())?.declineReason != nil
}

func code(_ result: Result<PaymentOutcome, PaymentError>) -> PaymentError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
}
