import PaymentCore
import PaymentRouting
import PaymentTesting

/// An application that calls its router from inside a callback that the router waits for, or while it reads the
/// router's events: it pays again, asks, resumes, recovers, returns, cancels, refunds and decides.
enum Reentry {
    /// The calls of the process whose router calls back.
    @TaskLocal static var calls: Calls?
    /// The number of callbacks that the current one is inside of.
    @TaskLocal private static var depth = 0

    /// The longest time that a call from inside may take, in seconds: much longer than all that services and leases
    /// are waited for.
    static let bound = 3 * 3600

    /// Calls the router, by chance.
    ///
    /// - Parameter place: the callback, for people.
    static func happen(_ place: String) async {
        guard let calls, calls.life.reenters, depth < 2, !calls.seat.process.isDead, calls.life.random.happens(0.3)
        else { return }
        await $depth.withValue(depth + 1) {
            // What is called is not a part of the attempt that waits.
            await Acting.$attempt.withValue(nil) {
                guard calls.life.variation.hidesReentries else { return await call(from: place, calls) }
                await hidden { await call(from: place, calls) }
            }
        }
    }

    /// Does `work` in a task that inherits nothing but what the simulation itself needs.
    private static func hidden(_ work: @escaping @Sendable () async -> Void) async {
        let (executor, calls, doer, depth) = (RouterTasks.executor, Self.calls, Acting.doer, Self.depth)
        await Task.detached(executorPreference: executor) {
            await RouterTasks.$executor.withValue(executor) {
                await Self.$calls.withValue(calls) {
                    await Acting.$doer.withValue(doer) { await Self.$depth.withValue(depth) { await work() } }
                }
            }
        }.value
    }

    /// Calls the router on some events, until the task is cancelled.
    static func listen(_ seat: Life.Seat, in life: Life) async {
        guard life.reenters else { return }
        await $calls.withValue(Calls(life: life, seat: seat)) {
            for await event in seat.router.events(limit: 16) where life.random.happens(0.1) {
                await happen("a listener of \(event.kind)")
            }
        }
    }

    private static func call(from place: String, _ calls: Calls) async {
        let (life, seat) = (calls.life, calls.seat)
        let payment = life.random.pick(seat.device.payments)
        let (name, work) = drawn(payment, calls)
        life.world.note("from inside \(place): \(name)")
        let isDone: Void? = await calls.within(.seconds(bound), grace: .zero, work)
        // A payer who never answers keeps the call that asked them.
        guard isDone == nil, !seat.process.isDead, life.hangs.count == 0 else { return }
        await life.oracle.breach(
            payment.reference, "\(payment.reference.id): \(name), called from inside \(place), did not return",
            .callbacks)
    }

    private static func drawn(
        _ payment: MarketPayment, _ calls: Calls
    ) -> (name: String, work: @Sendable () async -> Void) {
        let (life, seat, reference) = (calls.life, calls.seat, payment.reference)
        let (router, payer) = (seat.router, seat.device.payer)
        switch life.random.below(12) {
        case 0, 1, 2:
            let link = life.link(of: payment, at: router)
            return (
                "pay",
                {
                    await calls.call("pay", reference) {
                        try await router.pay(link, as: payer, acceptingUnverified: true)
                    }
                }
            )
        case 3:
            return (
                "status",
                { await calls.call("status", reference) { try await router.status(of: reference, as: payer) } }
            )
        case 4: return ("recover", { await calls.recover(as: payer) })
        case 5, 6:
            return ("resume", { for open in await calls.open(reference) { await calls.resume(open, as: payer) } })
        case 7, 8: return ("end", { for open in await calls.open(reference) { await calls.decide(open) } })
        case 9:
            guard router.registry.service(reference.provider) is any CancellingService else { fallthrough }
            return (
                "cancel", { await calls.call("cancel", reference) { try await router.cancel(reference) } }
            )
        default: return ("an errand", { await MerchantCalls(life: life, seat: seat).errand(payment) })
        }
    }
}

extension Calls {
    /// The open attempts at a payment, as far as the process can read them.
    func open(_ payment: PaymentReference) async -> [PaymentAttempt] {
        ((try? await seat.process.journal.unfinished()) ?? []).map(\.attempt)
            .filter { $0.reference.isPayment && life.markets.identity(of: $0.reference) == payment }
    }

    /// Has a person decide that an attempt for which nothing has left is not paid: from then on nothing may leave.
    func decide(_ attempt: PaymentAttempt) async {
        guard life.witness.acts(by: attempt.id).isEmpty else { return }
        let router = seat.router
        let content = await answer(nil, life.witness.tick()) {
            try await router.end(attempt.id, as: .notPaid, by: "Ada", evidence: "nothing has left the wallet")
        }
        guard case .outcome? = content, !seat.process.isDead else { return }
        let stored = seat.device.disk.histories.first { $0.attempt.id == attempt.id }?.outcome
        if case .declined(let reason)? = stored, reason.code == .decided {
            if life.witness.acts(by: attempt.id).isEmpty { life.witness.ends(attempt.id) }
        } else {
            await life.oracle.breach(
                nil, "\(attempt.id): a person's decision was taken, and is not stored", .callbacks)
        }
    }
}
