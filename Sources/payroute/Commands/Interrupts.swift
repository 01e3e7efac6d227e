import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C and its kin, turned into the cancellation of one task.
enum Interrupts {
    private static let signals = [SIGINT, SIGTERM]

    /// Signals that come so soon after the first one are the same key pressed twice, or one signal that reached the process
    /// by two ways: whoever did that still wants to know what became of the payment.
    private static let moment = Duration.seconds(1)

    /// Runs `operation`. The first SIGINT or SIGTERM cancels it, so that it can end in good order; one that comes a moment
    /// later or after ends the process at once.
    ///
    /// - Returns: the operation's result, and the signal that cancelled it.
    static func run<Result: Sendable>(
        _ operation: @escaping @Sendable () async -> Result
    ) async -> (result: Result, signal: Int32?) {
        let caught = Caught()
        var sources: [any DispatchSourceSignal] = []
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard caught.isInsistent(number) else { return }
                OutputStream(descriptor: 2).line("Stopped at once; what became of it was not waited for. Ask again.")
                ExternalProcess.endAll()
                _exit(128 + number)
            }
            // Until the source is in place a signal would be lost: nothing begins before that.
            await withCheckedContinuation { registered in
                source.setRegistrationHandler { registered.resume() }
                source.resume()
            }
            sources.append(source)
        }
        let task = Task { await operation() }
        caught.onSignal { task.cancel() }
        let result = await task.value
        // Whatever is left to do is short; a signal may end it.
        for (number, source) in zip(signals, sources) {
            source.cancel()
            signal(number, SIG_DFL)
        }
        return (result, caught.first)
    }

    private final class Caught: Sendable {
        private struct State {
            var first: (signal: Int32, at: ContinuousClock.Instant)?
            var cancel: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        var first: Int32? { state.withLock(\.first?.signal) }

        /// Calls `cancel` at the first signal, at once when it has come already.
        func onSignal(_ cancel: @escaping @Sendable () -> Void) {
            let isLate = state.withLock { state in
                state.cancel = cancel
                return state.first != nil
            }
            if isLate { cancel() }
        }

        /// Notes a signal; the first one cancels. Whether it is another one after a moment, by somebody who will not wait.
        func isInsistent(_ number: Int32) -> Bool {
            let now = ContinuousClock.now
            let (isInsistent, cancel) = state.withLock { state in
                if let first = state.first {
                    return (now - first.at >= Interrupts.moment, nil as (@Sendable () -> Void)?)
                }
                state.first = (number, now)
                return (false, state.cancel)
            }
            cancel?()
            return isInsistent
        }
    }
}
