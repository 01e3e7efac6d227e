#if canImport(Observation)
    import PaymentCore
    public import Observation

    /// A payment's progress for a screen: SwiftUI redraws the views that read it, UIKit and others track it with
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
        /// The stage of the payment.
        public private(set) var stage = PaymentStage()

        /// Creates the progress of a payment that has not begun.
        public init() {}

        /// Takes events until they end, or the task is cancelled.
        ///
        /// - Parameter events: the events of one payment, from `PaymentRouter.events(of:)`.
        public func follow(_ events: some AsyncSequence<PaymentEvent, Never>) async {
            for await event in events { stage.take(event) }
        }
    }
#endif
