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
        let task = Task { await operation() }
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard caught.isFirst(number) else { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        let result = await task.value
        // Whatever is left to do is short; a signal may end it.
        for (number, source) in zip(signals, sources) {
            source.cancel()
            signal(number, SIG_DFL)
        }
        return (result, caught.first)
    }

    private final class Caught: Sendable {
        private let signal = Mutex<Int32?>(nil)

        var first: Int32? { signal.withLock(\.self) }

        func isFirst(_ number: Int32) -> Bool {
            signal.withLock { signal in
                guard signal == nil else { return false }
                signal = number
                return true
            }
        }
    }
}
