import PaymentCore
import PaymentRouting
import PaymentTesting

/// Calls a process's router, and passes its statements to the oracle.
struct Calls: Sendable {
    let life: Life
    let seat: Life.Seat

    /// Calls the router.
    ///
    /// - Parameters:
    /// - isMerchant: true if the answer concerns all devices.
    /// - patience: the time after which the call is cancelled; nil waits for it.
    /// - Returns: the statement; nil if there was none, or the process is dead.
    @discardableResult
    func call(
        _ name: String, _ payment: PaymentReference, isMerchant: Bool = false, patience: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> PaymentOutcome?
    ) async -> Statement.Content? {
        let begun = life.witness.tick()
        let content = await answer(patience, begun, work)
        guard let content, !seat.process.isDead else { return nil }
        await life.oracle.hear(
            Statement(
                call: name, subject: .payment(life.markets.identity(of: payment)), content: content,
                doer: isMerchant ? nil : seat.doer, begun: begun, told: life.witness.tick(),
                merchant: isMerchant ? seat.device.number : nil))
        return content
    }

    /// Calls the router about an intent.
    func carry(
        _ name: String, _ intent: PaymentIntent, of payment: PaymentReference, patience: Duration? = nil,
        _ work: @escaping @Sendable () async -> PaymentStatement
    ) async {
        let begun = life.witness.tick()
        let content = await within(patience) {
            await acting(begun) { () async -> Statement.Content in
                switch await work() {
                case .stated(let outcome): .outcome(outcome)
                case .unanswered(let error, _): .failure(error.with(phase: .maybeSent))
                case .notBegun(let error): .notBegun(error.fact)
                }
            }
        }
        guard let content, !seat.process.isDead else { return }
        await life.oracle.hear(
            Statement(
                call: name, subject: .payment(life.markets.identity(of: payment)), content: content, doer: seat.doer,
                begun: begun, told: life.witness.tick(), name: seat.router.payment(of: intent)))
    }

    /// The router's answer to `work`.
    func answer(
        _ patience: Duration?, _ begun: Int, _ work: @escaping @Sendable () async throws -> PaymentOutcome?
    ) async -> Statement.Content? {
        await within(patience) {
            await acting(begun) { () async -> Statement.Content? in
                do { return try await work().map { .outcome($0) } } catch let error as PaymentError {
                    return .failure(error)
                } catch {
                    return nil
                }
            }
        } ?? nil
    }

    private func acting<Value: Sendable>(_ call: Int, _ work: @Sendable () async -> Value) async -> Value {
        await Reentry.$calls.withValue(self) {
            await Acting.$doer.withValue(seat.doer) { await Acting.$call.withValue(call) { await work() } }
        }
    }

    /// Runs `work`, cancels it after `patience`, and leaves it if it does not return all the same: a hanging call hangs
    /// until the end of the history.
    ///
    /// - Parameter grace: the time for which it is waited after that; nil for the usual one.
    func within<Value: Sendable>(
        _ patience: Duration?, grace: Duration? = nil, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let mayHang = life.world.faults.payerHangs > 0
        guard patience != nil || mayHang else { return await work() }
        let pending = OneShot<Value?>()
        let executor = RouterTasks.executor
        let task = Task(executorPreference: executor) { pending.finish(await work()) }
        let clock = life.world.clock
        let timer = Task(executorPreference: executor) {
            do {
                try await clock.sleep(for: patience ?? .seconds(700))
                task.cancel()
                try await clock.sleep(for: grace ?? (mayHang ? .seconds(100) : .seconds(100_000)))
            } catch {}
            pending.finish(nil)
        }
        let value = await pending.value()
        timer.cancel()
        return value
    }

    /// Recovers as applications do at their start, and records every report.
    func recover(as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        let (bound, isStuck) = (life.variation.recoveryBound, life.hangs.stuck != nil)
        // Two rounds of attempts at most, and the reservations.
        let reports = await within(isStuck ? .seconds(1500) : nil, grace: isStuck ? .zero : nil) {
            await acting(begun) { (try? await router.recover(as: payer, bound: bound)) ?? [] }
        }
        if isStuck, reports == nil, !seat.process.isDead {
            await life.oracle.breach(
                nil, "recovery did not return while one payment's wallet did not answer", .hanging)
        }
        for report in reports ?? [] where !seat.process.isDead {
            let content: Statement.Content =
                switch report.result {
                case .success(let outcome): .outcome(outcome)
                case .failure(let error): .failure(error)
                }
            await hear("recover", report.attempt, content, since: begun)
        }
    }

    /// Resumes one attempt, and records the result.
    func resume(_ attempt: PaymentAttempt, as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        guard let content = await answer(nil, begun, { try await router.resume(attempt.id, as: payer) }),
            !seat.process.isDead
        else { return }
        await hear("resume", attempt, content, since: begun)
    }

    private func hear(
        _ call: String, _ attempt: PaymentAttempt, _ content: Statement.Content, since begun: Int
    ) async {
        await life.oracle.hear(
            Statement(
                call: call, subject: .attempt(attempt), content: content, doer: seat.doer, begun: begun,
                told: life.witness.tick()))
    }
}
