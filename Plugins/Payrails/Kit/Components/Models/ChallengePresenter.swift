import PaymentCore
import PayrailsProvider

/// Reports that a page is about to be shown, then has the presenter show it.
@MainActor final class ChallengePresenter: PaymentPresenter {
    private let presenter: any PaymentPresenter
    private let willPresent: @MainActor () -> Void

    init(_ presenter: any PaymentPresenter, willPresent: @escaping @MainActor () -> Void) {
        self.presenter = presenter
        self.willPresent = willPresent
    }

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        willPresent()
        return try await presenter.presentPayment(page)
    }
}
