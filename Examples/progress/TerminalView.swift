import Observation
import PaymentCore
import PaymentRouting

/// A payment's stages as lines, drawn again whenever the model changes. With SwiftUI, a view that reads
/// `progress.stage` is all that is needed.
@MainActor
final class TerminalView {
    private let progress = PaymentProgress()
    private var shown = ""

    /// Shows every stage once, until the events end.
    func show(_ events: AsyncStream<PaymentEvent>) async {
        shown = line
        observe()
        await progress.follow(events)
        draw()
    }

    /// Draws, and again at each change. Observers are called just before a change, so the stage that ends is drawn.
    private func observe() {
        withObservationTracking {
            draw()
        } onChange: { [weak self] in
            MainActor.assumeIsolated { self?.observe() }
        }
    }

    private func draw() {
        let line = line
        guard line != shown else { return }
        shown = line
        print("  \(line)")
    }

    private var line: String {
        let stage = progress.stage
        if case .ended(let outcome) = stage.activity, outcome.isFinal { return stage.description }
        return stage.description + (stage.mayHaveMovedMoney ? " (do not leave: money may have moved)" : "")
    }
}
