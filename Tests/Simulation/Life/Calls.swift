import MarketModel
import PaymentCore
import PaymentRouting
import PaymentTesting

/// Asks a process's router, and has the oracle hear what it says.
struct Calls: Sendable {
    let life: Life
    let seat: Life.Seat

    /// Calls the router.
    ///
    /// - Parameters:
    ///   - isMerchant: whether the answer is about all devices.
    ///   - patience: after how long the call is called off; nil waits for it.
    /// - Returns: what was said; nil when nothing was, or nobody lives to hear it.
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
                doer: isMerchant ? nil : seat.doer, begun: begun, told: life.witness.tick()))
        return content
    }

    /// What the router answers to `work`.
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
        await Acting.$doer.withValue(seat.doer) { await Acting.$call.withValue(call) { await work() } }
    }

    /// Runs `work`, calls it off after `patience`, and leaves it when it does not come back for all that: whoever hangs
    /// hangs till the end of the history.
    func within<Value: Sendable>(
        _ patience: Duration?, _ work: @escaping @Sendable () async -> Value
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
                try await clock.sleep(for: mayHang ? .seconds(100) : .seconds(100_000))
            } catch {}
            pending.finish(nil)
        }
        let value = await pending.value()
        timer.cancel()
        return value
    }

    /// Recovers as applications do at their start, and hears every report.
    func recover(as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        let reports = await within(nil) { await acting(begun) { (try? await router.recover(as: payer)) ?? [] } }
        for report in reports ?? [] where !seat.process.isDead {
            let content: Statement.Content =
                switch report.result {
                case .success(let outcome): .outcome(outcome)
                case .failure(let error): .failure(error)
                }
            await hear("recover", report.attempt, content, begun)
        }
    }

    /// Goes on with one attempt, and hears what became of it.
    func resume(_ attempt: PaymentAttempt, as payer: Payer) async {
        let begun = life.witness.tick()
        let router = seat.router
        guard let content = await answer(nil, begun, { try await router.resume(attempt.id, as: payer) }),
            !seat.process.isDead
        else { return }
        await hear("resume", attempt, content, begun)
    }

    private func hear(_ call: String, _ attempt: PaymentAttempt, _ content: Statement.Content, _ begun: Int) async {
        await life.oracle.hear(
            Statement(
                call: call, subject: .attempt(attempt), content: content, doer: seat.doer, begun: begun,
                told: life.witness.tick()))
    }
}
