#if canImport(Observation)
    import PaymentCore
    public import Observation

    /// A payment's progress for a screen: SwiftUI redraws what reads it, UIKit and others track it with
    /// `withObservationTracking`.
    ///
    /// ```swift
    /// @State private var progress = PaymentProgress()
    /// // …
    /// Text(progress.stage.description)
    ///     .task { await progress.follow(router.events(of: quote.reference)) }
    /// ```
    @MainActor
    @Observable
    public final class PaymentProgress {
        /// Where the payment stands.
        public private(set) var stage = PaymentStage()

        /// Creates the progress of a payment that has not begun.
        public init() {}

        /// Takes events until they end, or the task is cancelled.
        ///
        /// - Parameter events: of one payment, as `PaymentRouter.events(of:)` gives them.
        public func follow(_ events: some AsyncSequence<PaymentEvent, Never>) async {
            for await event in events { stage.take(event) }
        }
    }
#endif
