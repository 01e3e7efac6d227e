import SandboxHome
import Synchronization

/// The events of the sandbox, one line each, while it runs: ``TailCommand`` shows the same of a sandbox elsewhere.
final class LiveLog: Sendable {
    private let console: Console
    private let isOn = Mutex(false)

    init(_ console: Console) { self.console = console }

    /// Shows every event from now on.
    func begin() { isOn.withLock { $0 = true } }

    /// Shows no more events.
    func end() { isOn.withLock { $0 = false } }

    func print(_ event: HomeEvent) {
        guard isOn.withLock({ $0 }) else { return }
        console.output.line(TailCommand.line(event.json, console.style))
    }
}
