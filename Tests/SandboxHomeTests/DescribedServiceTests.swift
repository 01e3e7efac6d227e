import PaymentCore
import PaymentLoopback
import PaymentTesting
import SandboxSupport
import Testing

/// The service of a vendor that has only its `SimulatedVendor`.
@Suite("A described service")
struct DescribedServiceTests {
    private let payment = StubPayment()
    private var service: DescribedService { DescribedService(StubVendor(payment: payment)) }

    @Test("Its ledger has what is new in the truth about a payment, once")
    func ledger() async throws {
        let (service, base) = (service, try HTTPURL("http://127.0.0.1:8080"))
        #expect(service.id == "keyed" && service.title == "Keyed")
        #expect(await service.make("another", amount: nil, at: base) == nil)
        #expect(await service.make("held", amount: payment.price, at: base) == nil)
        for _ in 0..<2 {
            let made = await service.make("held", amount: nil, at: base)
            #expect(made?.id == "p1" && made?.link == payment.links[0] && made?.summary == "It is set aside.")
            #expect(await service.ledger.words(for: "p1") == "created")
        }
        var words = "created"
        for (truth, event) in [
            (StubPayment.truth { $0.isPaid = true }, "authorized"),
            (StubPayment.truth { $0.taken = [300] }, "captured, settled"),
            (StubPayment.truth { $0.refunded = [100, 200] }, "refunded, refunded"),
            (StubPayment.truth { $0.cancellations = 1 }, "cancelled"),
            (StubPayment.truth { $0.isReturned = true }, "failed"),
        ] {
            await payment.change(truth)
            words += ", " + event
            for _ in 0..<2 { #expect(await service.ledger.words(for: "p1") == words) }
        }
        let amounts = await service.ledger.events(of: "p1").map(\.detail).filter { $0.contains("iso4217/EUR") }
        #expect(amounts.map { $0.prefix(3) } == ["300", "300", "100", "200"])
    }

    @Test("A payment is found by each of its names, and has its price")
    func names() async throws {
        let service = service
        #expect(await service.payment(named: "alias") == nil)
        _ = await service.make("held", amount: nil, at: try HTTPURL("http://127.0.0.1:8080"))
        #expect(await service.payment(named: "alias") == "p1")
        #expect(await service.payment(named: "p2") == nil)
        #expect(await service.facts(of: "p1").amount == payment.price)
    }

    @Test("Each host answers below its name, as at its own address")
    func hosts() async throws {
        let address = SharedAddress(service.routes())
        func answer(_ path: String) async throws -> String {
            let request = HTTPRequest(.get, try HTTPURL("http://127.0.0.1:8080\(path)"))
            let response = await address.respond(to: request)
            return response.status == 200 ? String(decoding: response.body, as: UTF8.self) : "\(response.status)"
        }
        #expect(try await answer("/api.stub.example/a/b?c=d") == "https://api.stub.example/a/b?c=d")
        #expect(try await answer("/api.other.example/a") == "404")
    }

    private struct StubVendor: SimulatedVendor {
        let scenarios = [SimulatedScenario("held", "It is set aside.", ending: .authorized)]
        let services: [any PaymentService] = [KeyedProvider()]
        let payment: StubPayment

        init(clock: any PaymentClock, random: any RandomSource) { self.init(payment: StubPayment()) }

        init(payment: StubPayment) { self.payment = payment }

        var hosts: [String: any SandboxService] { ["api.stub.example": Echo()] }

        func makePayment(_ scenario: SimulatedScenario, over amount: Money?) throws -> any SimulatedPayment {
            guard amount == nil else { throw PaymentError(.requestRefused, "it has its own price") }
            return payment
        }

        func id(of reference: String) -> String { reference == "alias" ? "p1" : reference }
    }

    /// Answers with the address of the request.
    private struct Echo: SandboxService {
        func respond(to request: HTTPRequest) -> HTTPResponse {
            HTTPResponse(status: 200, body: Array(request.url.text.utf8))
        }
    }

    private actor StubPayment: SimulatedPayment {
        typealias Change = @Sendable (inout PaymentTruth) -> Void

        nonisolated let reference = PaymentReference(provider: "keyed", id: "p1")
        nonisolated let links = ["https://pay.keyed.example/p1"]
        nonisolated let price = try? Money(minorUnits: 300, currency: .eur)
        private var records = PaymentTruth()

        static func truth(_ change: @escaping Change) -> Change { change }

        func change(_ change: Change) { change(&records) }

        func truth() -> PaymentTruth { records }
    }
}
