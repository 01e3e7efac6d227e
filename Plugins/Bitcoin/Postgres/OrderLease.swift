import BitcoinWallets
import PaymentCore
import Synchronization

/// The time for which the sender of an order counts as alive, by a clock of its machine that is never set. It begins
/// before the row is stored, so that it is over here before it is over at the server.
final class OrderLease: Sendable {
    private let duration: Duration
    private let renew: @Sendable () async throws -> Bool
    private let clock: any PaymentClock
    /// By the clock's ``PaymentClock/uptime``.
    private let end: Mutex<Duration>

    /// Creates a lease that begins now.
    ///
    /// - Parameter renew: lets it begin anew at the server; returns false where it is over there.
    init(_ duration: Duration, _ clock: any PaymentClock, _ renew: @escaping @Sendable () async throws -> Bool) {
        self.duration = duration
        self.renew = renew
        self.clock = clock
        end = Mutex(clock.uptime + duration)
    }

    private var left: Duration { end.withLock { $0 } - clock.uptime }

    /// Sends a request while the lease is kept; it is cancelled, which closes its connection, before the lease ends.
    ///
    /// - Returns: what the request's answer proves; that nothing was sent where half of the lease was over before.
    func keep(_ send: @escaping @Sendable () async -> WalletAnswer) async -> WalletAnswer {
        guard left > duration / 2 else {
            return .sentNothing(reason: "this process was stopped for too long before it could send it; try again")
        }
        return await withTaskGroup(of: WalletAnswer?.self) { group in
            group.addTask { await send() }
            group.addTask { await self.renewals() }
            group.addTask { await self.last() }
            var answer: WalletAnswer?
            while let ended = await group.next() {
                if let ended { answer = ended }
                group.cancelAll()
            }
            return answer ?? .nothing
        }
    }

    /// Renews the lease until it is lost or the task is cancelled.
    private func renewals() async -> WalletAnswer? {
        var pause = duration / 3
        while true {
            do { try await clock.sleep(for: pause) } catch { return nil }
            let now = clock.uptime
            do {
                guard try await renew() else { return nil }
                end.withLock { $0 = now + duration }
                pause = duration / 3
            } catch { pause = duration / 30 }
        }
    }

    /// Waits until the lease is about to end, or the task is cancelled.
    private func last() async -> WalletAnswer? {
        while true {
            let rest = left - duration / 10
            guard rest > .zero else { return nil }
            do { try await clock.sleep(for: rest) } catch { return nil }
        }
    }
}
