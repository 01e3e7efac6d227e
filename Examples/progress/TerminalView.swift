import PaymentCore
import PaymentRouting

/// A payment's stages as lines; an application with a screen gives the same events to a `PaymentProgress`, which SwiftUI
/// observes.
struct TerminalView {
    private var stage = PaymentStage()

    /// Shows every stage once, until the events end.
    func show(_ events: some AsyncSequence<PaymentEvent, Never>) async {
        var view = self
        var shown = view.line
        for await event in events {
            view.stage.take(event)
            guard view.line != shown else { continue }
            shown = view.line
            print("  \(shown)")
        }
    }

    private var line: String {
        if case .ended(let outcome) = stage.activity, outcome.isFinal { return stage.description }
        return stage.description + (stage.mayHaveMovedMoney ? " (do not leave: money may have moved)" : "")
    }
}
