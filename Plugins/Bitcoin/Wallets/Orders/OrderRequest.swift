import PaymentCore
import PaymentRouting
import Synchronization

/// The one request of an order that has begun, and the lease that shows others that its sender lives.
///
/// Here the lease ends by a clock of the sender's machine that is never set. It begins before the store is asked for it, so
/// in a store with a clock of its own it is over here before it is over there.
final class OrderRequest: Sendable {
    /// The name of the order.
    let name: String
    /// The lease. Its holder is the sender's id.
    let lease: RecordLease
    /// Nil if the lease need not be renewed, because the store sees whether the sender's process lives.
    private let clock: (any PaymentClock)?
    /// By the clock's ``PaymentClock/uptime``.
    private let end: Mutex<Duration>

    private var duration: Duration { lease.duration }

    /// Creates a request whose lease begins now.
    init(_ name: String, lease: RecordLease, clock: (any PaymentClock)?) {
        self.name = name
        self.lease = lease
        self.clock = clock
        end = Mutex((clock?.uptime ?? .zero) + lease.duration)
    }

    /// Returns the lease of a sender's id. Its room is the sender's: one that gets it knows that the sender is gone.
    ///
    /// - Parameter holder: the id of the one that takes it.
    static func lease(of sender: String, holder: String, duration: Duration) -> RecordLease {
        RecordLease(RecordRoom("wallet sender", sender), holder: holder, duration: duration)
    }

    /// Sends the request while the lease is kept. The request is cancelled, which closes its connection, before the lease
    /// ends.
    ///
    /// - Returns: what the request's answer proves; that nothing was sent if half of the lease was over before.
    func keep(in records: any RecordStore, _ send: @escaping @Sendable () async -> WalletAnswer) async -> WalletAnswer {
        guard let clock else { return await send() }
        guard left(clock) > duration / 2 else {
            return .sentNothing(reason: "this process was stopped for too long before it could send it; try again")
        }
        return await withTaskGroup(of: WalletAnswer?.self) { group in
            group.addTask { await send() }
            group.addTask { await self.renewals(clock, records) }
            group.addTask { await self.last(clock) }
            var answer: WalletAnswer?
            while let ended = await group.next() {
                if let ended { answer = ended }
                group.cancelAll()
            }
            return answer ?? .nothing
        }
    }

    private func left(_ clock: any PaymentClock) -> Duration { end.withLock { $0 } - clock.uptime }

    /// Renews the lease until it is lost or the task is cancelled.
    private func renewals(_ clock: any PaymentClock, _ records: any RecordStore) async -> WalletAnswer? {
        var pause = duration / 3
        while true {
            do { try await clock.sleep(for: pause) } catch { return nil }
            let begin = clock.uptime
            do {
                try await records.renew(lease, at: clock.now)
                end.withLock { $0 = begin + duration }
                pause = duration / 3
            } catch RecordError.leaseLost { return nil } catch { pause = duration / 30 }
        }
    }

    /// Waits until the lease is about to end, or the task is cancelled.
    private func last(_ clock: any PaymentClock) async -> WalletAnswer? {
        while true {
            let rest = left(clock) - duration / 10
            guard rest > .zero else { return nil }
            do { try await clock.sleep(for: rest) } catch { return nil }
        }
    }
}
