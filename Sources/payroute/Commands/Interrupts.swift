import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C and similar signals, mapped to the cancellation of one task.
enum Interrupts {
    private static let signals = [SIGINT, SIGTERM]

    /// The time in which further signals count as the first one: the same key pressed twice, or one signal that reached
    /// the process by two ways. The user still waits for the payment's result then.
    private static let moment = Duration.seconds(1)

    /// The receiver of signals: the last operation, also when it is over.
    private static let current = Mutex<Caught?>(nil)

    /// Runs `operation`. The first SIGINT or SIGTERM cancels it, so that it can end in good order; one that comes
    /// ``moment`` later or after ends the process at once. So does one that comes after the operation: the remaining
    /// work is short.
    ///
    /// - Returns: The operation's result, and the signal that cancelled it.
    static func run<Result: Sendable>(
        _ operation: @escaping @Sendable () async -> Result
    ) async -> (result: Result, signal: Int32?) {
        let caught = Caught()
        current.withLock { $0 = caught }
        // Until the sources are in place a signal would be lost: nothing begins before that.
        await listening.value
        let task = Task { await operation() }
        caught.onSignal { task.cancel() }
        let result = await task.value
        caught.end()
        return (result, caught.first)
    }

    /// Sources for the rest of the process: a signal that was returned to the system does not reach a second source.
    private static let listening = Task {
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The source retains itself.
            source.setEventHandler { withExtendedLifetime(source) { hear(number) } }
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { registered.resume() }
                source.resume()
            }
        }
    }

    private static func hear(_ number: Int32) {
        guard let caught = current.withLock(\.self), caught.isInsistent(number) else { return }
        if !caught.isOver {
            OutputStream(descriptor: 2).line("Stopped at once, without waiting for the outcome. Ask again.")
        }
        ExternalProcess.endAll()
        _exit(128 + number)
    }

    private final class Caught: Sendable {
        private struct State {
            var first: (signal: Int32, at: ContinuousClock.Instant)?
            var cancel: (@Sendable () -> Void)?
            var isOver = false
        }

        private let state = Mutex(State())

        var first: Int32? { state.withLock(\.first?.signal) }
        var isOver: Bool { state.withLock(\.isOver) }

        /// Ends the operation: a first signal after this ends the process.
        func end() { state.withLock { $0.isOver = true } }

        /// Calls `cancel` at the first signal, at once when one has come already.
        func onSignal(_ cancel: @escaping @Sendable () -> Void) {
            let isLate = state.withLock { state in
                state.cancel = cancel
                return state.first != nil
            }
            if isLate { cancel() }
        }

        /// Notes a signal; the first one cancels. Returns true if the process must end at once: for another signal
        /// after the moment, or a first one when the operation is over.
        func isInsistent(_ number: Int32) -> Bool {
            let now = ContinuousClock.now
            let (isInsistent, cancel) = state.withLock { state in
                if let first = state.first {
                    return (now - first.at >= Interrupts.moment, nil as (@Sendable () -> Void)?)
                }
                state.first = (number, now)
                return (state.isOver, state.cancel)
            }
            cancel?()
            return isInsistent
        }
    }
}
