package import PaymentCore

extension PaymentClock {
    /// Sends a notification, and again after each pause, until it is accepted, the pauses are used up, or the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - pauses: the waits between one attempt and the next.
    ///   - send: sends it once, and returns true if it was accepted.
    package func deliver(
        isolation: isolated (any Actor)? = #isolation, repeatingAfter pauses: [Duration], send: () async -> Bool
    ) async {
        if await send() { return }
        for pause in pauses {
            do { try await sleep(for: pause) } catch { return }
            if await send() { return }
        }
    }
}
