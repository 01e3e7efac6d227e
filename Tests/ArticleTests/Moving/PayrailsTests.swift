import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import PayrailsKit
import PayrailsSandbox
import Testing

/// The code of PayrailsKit's Differences.md.
@Suite("Article: move from Payrails' SDK")
struct MovingFromPayrailsTests {
    /// An application's checkout, by a stored card.
    @MainActor final class Checkout: PaymentPresenter {
        nonisolated func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
            try await PayrailsSandbox.payer(transport: StandardTransport()).browser?(page)
        }

        func pay(_ response: Payrails.InitData) async throws -> String {
            let configuration = Payrails.Configuration(initData: response, option: Payrails.Options(env: .test))
            let payrails = try await Payrails.createSession(with: configuration)
            guard let card = payrails.storedInstruments(for: .card).first else { return "no card is stored" }
            let result = await payrails.executePayment(withStoredInstrument: card, presenter: self)
            switch result {
            case .success: return "paid"
            case .failure(let failure): return "not paid: \(failure.message)"
            case .authorizationFailed: return "not paid: ask the shop for fresh init data"
            case .error(.paymentPending): return "not over: ask later, pay nothing again"
            case .error where result.mayHaveBeenPaid: return "not known: ask the shop before paying again"
            case .error(let error): return "not paid: \(error.localizedDescription)"
            case .cancelledByUser: return "left: ask the shop before paying again"
            }
        }
    }

    @Test("The code after the move pays, and distinguishes every other ending")
    func pays() async throws {
        let service = PayrailsSandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(service)
        defer { server.stop() }
        for (scenario, words, captures) in [
            (.paid, "paid", 1), (.challenge, "paid", 1), (.declined, "not paid: ", 0),
            (.expiredSession, "not paid: ask the shop", 0),
        ] as [(PayrailsSandbox.Scenario, String, Int)] {
            let session = await service.createSession(scenario, base: server.baseURL)
            let told = try await Checkout().pay(
                Payrails.InitData(version: session.version, data: session.data.reveal()))
            #expect(told.hasPrefix(words), "\(scenario): \(told)")
            #expect(await service.ledger.captures(of: session.id) == captures, "\(scenario)")
        }
    }
}
