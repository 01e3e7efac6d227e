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

    /// Runs `operation`. The first SIGINT or SIGTERM cancels it, so that it can end in good order; the second ends the
    /// process at once.
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
                guard caught.isFirst(number) else { _exit(128 + number) }
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
        private let state = Mutex<(signal: Int32?, cancel: (@Sendable () -> Void)?)>((nil, nil))

        var first: Int32? { state.withLock(\.signal) }

        /// Calls `cancel` at the first signal, at once when it has come already.
        func onSignal(_ cancel: @escaping @Sendable () -> Void) {
            let isLate = state.withLock { state in
                state.cancel = cancel
                return state.signal != nil
            }
            if isLate { cancel() }
        }

        func isFirst(_ number: Int32) -> Bool {
            let (isFirst, cancel) = state.withLock { state in
                guard state.signal == nil else { return (false, nil as (@Sendable () -> Void)?) }
                state.signal = number
                return (true, state.cancel)
            }
            cancel?()
            return isFirst
        }
    }
}
