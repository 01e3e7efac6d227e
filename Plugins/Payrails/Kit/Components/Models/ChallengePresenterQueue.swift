import PaymentCore
import PayrailsProvider

/// Shows a payment's pages through a checkout's state, for a payer whose browser runs outside the payment's process.
@MainActor final class ChallengePresenterQueue: PaymentPresenter {
    private var waiting: (number: Int, page: PageRequest, continuation: CheckedContinuation<PaymentLink?, Never>)?
    private var count = 0
    private let onChange: @MainActor (HTTPURL?) -> Void

    init(onChange: @escaping @MainActor (HTTPURL?) -> Void) { self.onChange = onChange }

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        end(waiting?.number, with: nil)
        count += 1
        let number = count
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                waiting = (number, page, continuation)
                onChange(page.url)
            }
        } onCancel: {
            Task { @MainActor in self.end(number, with: nil) }
        }
    }

    /// Reports that the payer came back by `link`, or left if it is nil.
    func payerReturned(by link: PaymentLink?) { end(waiting?.number, with: link) }

    private func end(_ number: Int?, with link: PaymentLink?) {
        guard let waiting, waiting.number == number else { return }
        self.waiting = nil
        onChange(nil)
        waiting.continuation.resume(returning: link)
    }
}
