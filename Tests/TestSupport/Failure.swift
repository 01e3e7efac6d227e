package import PaymentCore

/// Runs `work` and returns the payment error that it throws.
package func failure(_ work: () async throws -> Void) async -> PaymentError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? PaymentError
    }
}
