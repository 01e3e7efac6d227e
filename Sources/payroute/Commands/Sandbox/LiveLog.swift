import SandboxHome
import Synchronization

/// What happens in the sandbox, one line each, while it runs: what ``TailCommand`` shows of a sandbox elsewhere.
final class LiveLog: Sendable {
    private let console: Console
    private let isOn = Mutex(false)

    init(_ console: Console) { self.console = console }

    /// Tells everything from now on.
    func begin() { isOn.withLock { $0 = true } }

    /// Tells nothing more.
    func end() { isOn.withLock { $0 = false } }

    func print(_ event: HomeEvent) {
        guard isOn.withLock({ $0 }) else { return }
        console.output.line(TailCommand.line(event.json, console.style))
    }
}
