package import PaymentCore

/// Runs `work` and returns the payment error that it throws.
package func failure<Result>(_ work: () async throws -> Result) async -> PaymentError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? PaymentError
    }
}
