import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The gateway with a caller's retry limits: it repeats queries, and mutations only if they certainly had no effect.
package struct RetryingGateway: Sendable {
    /// The number of retries of one call.
    package struct Limits: Sendable {
        let retries: Int

        /// No retries: the router does them.
        package static let none = Limits(retries: 0)
        /// The number of the vendor's client.
        package static let vendor = Limits(retries: 5)
    }

    let gateway: PayGateway
    let limits: Limits
    let clock: any PaymentClock
    let random: any RandomSource
    /// Receives the reason of each retry.
    let note: @Sendable (String) -> Void

    /// Runs `call`, again after temporary failures.
    ///
    /// - Parameter deadline: no retry begins after it.
    func query<Answer>(
        until deadline: Duration? = nil, _ call: (PayGateway) async throws(GatewayError) -> Answer
    ) async throws(GatewayError) -> Answer {
        var retry = 0
        while true {
            do { return try await call(gateway) } catch {
                retry += 1
                guard error.isPassing, retry <= limits.retries else { throw error }
                try await pause(retry, after: error, until: deadline)
            }
        }
    }

    /// Sends a mutation of the payment `id`. If its effect is unknown, the payment's status decides: the identical
    /// mutation is sent again only while the payment still waits for it.
    ///
    /// - Parameter answer: maps a status to the mutation's answer; nil when nothing has happened.
    func mutate<Answer>(
        _ id: String, _ send: (PayGateway) async throws(GatewayError) -> Answer,
        settledBy answer: (StatusBody) -> Answer?
    ) async throws(GatewayError) -> Answer {
        var retry = 0
        var fateWasOpen = false
        while true {
            do { return try await send(gateway) } catch {
                guard limits.retries > 0 else { throw error }
                if case .cancelled(let mayHaveArrived) = error {
                    throw .cancelled(mayHaveArrived: mayHaveArrived || fateWasOpen)
                }
                fateWasOpen = fateWasOpen || error.leavesFateOpen
                if fateWasOpen, let settled = try await status(of: id, after: error).map(answer) ?? nil {
                    return settled
                }
                retry += 1
                guard error.mayBeSentAgain, retry <= limits.retries else { throw Self.mapped(error, fateWasOpen) }
                do { try await pause(retry, after: error, until: nil) } catch {
                    if case .cancelled = error { throw .cancelled(mayHaveArrived: fateWasOpen) }
                    throw error
                }
            }
        }
    }

    /// Returns the error of a mutation that ended with `last`: the end of a later copy does not show the effect of the
    /// earlier ones.
    private static func mapped(_ last: GatewayError, _ fateWasOpen: Bool) -> GatewayError {
        fateWasOpen && !last.leavesFateOpen ? .afterOpenCopy(last) : last
    }

    /// Returns the payment's status after a mutation failed with `failure`.
    ///
    /// - Throws: `failure` when the status cannot be obtained either.
    private func status(of id: String, after failure: GatewayError) async throws(GatewayError) -> StatusBody? {
        note("the answer is missing or in doubt; asking for the payment's status")
        do {
            return try await query { gateway throws(GatewayError) in try await gateway.status(id) }
        } catch {
            if case .cancelled = error { throw .cancelled(mayHaveArrived: true) }
            throw Self.mapped(failure, true)
        }
    }

    private func pause(_ retry: Int, after failure: GatewayError, until deadline: Duration?) async throws(GatewayError)
    {
        let delay = Self.delay(beforeRetry: retry, after: failure, random: random)
        if let deadline, clock.uptime + delay > deadline { throw failure }
        note("retry \(retry) of \(limits.retries) in \(delay.milliseconds) ms: \(failure.text)")
        do { try await clock.sleep(for: delay) } catch { throw .cancelled(mayHaveArrived: false) }
    }

    /// Returns the vendor's back-off: 1 s, then 2 s, and up to half as much again at random. A wait of up to 2 s that
    /// the service states takes precedence: the vendor's client follows it after HTTP 429 alone, this one also in an
    /// outage.
    static func delay(
        beforeRetry retry: Int, after failure: GatewayError, random: any RandomSource
    ) -> Duration {
        if case .refused(let refusal) = failure, let seconds = wish(refusal.retryAfter) {
            return .milliseconds(min(seconds, 2) * 1000)
        }
        let base: Int64 = retry == 1 ? 1000 : 2000
        return .milliseconds(base + Int64(random.fraction() * Double(base / 2)))
    }

    private static func wish(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        // A number with too many digits still exceeds the cap.
        let seconds = Int64(text) ?? .max
        return seconds > 0 ? seconds : nil
    }
}
