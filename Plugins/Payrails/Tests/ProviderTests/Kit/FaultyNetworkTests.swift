import PaymentCore
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The vendor's client on a network that loses, doubles and refuses, with a payer that tries again and again: each
/// result is compared with the sandbox's ledger.
@Suite("The vendor's client on a bad network")
struct FaultyNetworkTests {
    @Test("Never paid twice, never called paid or unpaid that is not", arguments: 0..<40)
    func histories(_ part: Int) async throws {
        for seed in UInt64(part) * 10..<UInt64(part + 1) * 10 { try await history(seed) }
    }

    private func history(_ seed: UInt64) async throws {
        let random = SeededRandomSource(seed: seed)
        let world = PayrailsWorld(seed: seed)
        let scenarios: [PayrailsSandbox.Scenario] = [
            .paid, .paid, .challenge, .paidWhileWaiting, .pending, .declined, .declinedThenPending, .slowSettlement,
            .garbledAnswer, .neverRequested, .pendingThenPaid,
        ]
        let made = await world.sandbox.createSession(pick(scenarios, random))
        let network = FaultyNetwork(base: SandboxTransport(world.sandbox), random: random)
        // One device, or two with the same init data.
        let devices = try (0..<(1 + random.next() % 2)).map { _ in
            try world.session(made, over: network, random: random)
        }
        var told: [String] = []
        for turn in 0..<4 {
            network.isGood.withLock { $0 = turn == 3 }
            let session = pick(devices, random)
            let before = await world.captures(made.id)
            let screen = await SandboxScreen(
                world.sandbox, pick([.completes, .leaves, .cancels, .completes], random))
            let result: OnPayResult
            switch random.next() % 4 {
            case 0: result = await session.executePayment(with: .payPal, presenter: screen)
            case 1: result = await session.executePayment(with: .genericRedirect, presenter: screen)
            default:
                let card = pick(session.storedInstruments(for: .card), random)
                result = await session.executePayment(withStoredInstrument: card, presenter: screen)
            }
            let captures = await world.captures(made.id)
            told.append("\(result.word) (\(captures))")
            #expect(captures <= 1, "seed \(seed): \(told)")
            if case .success = result { #expect(captures == 1, "seed \(seed): \(told)") }
            // Another device may have paid before.
            if !result.mayHaveBeenPaid { #expect(captures == before, "seed \(seed): \(told)") }
            if case .failure = result { #expect(captures == 0, "seed \(seed): \(told)") }
            if random.next() % 3 == 0 { world.clock.advance(by: .seconds(700)) }
        }
    }

    private func pick<Value>(_ values: [Value], _ random: SeededRandomSource) -> Value {
        values[Int(random.next() % UInt64(values.count))]
    }
}

/// Loses requests and answers, delivers twice, and fails inquiries.
private final class FaultyNetwork: HTTPTransport {
    let base: any HTTPTransport
    let random: SeededRandomSource
    let isGood = Mutex(false)

    init(base: any HTTPTransport, random: SeededRandomSource) {
        self.base = base
        self.random = random
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard !isGood.withLock({ $0 }) else { return try await base.send(request) }
        let origin = request.url.origin
        switch random.next() % (request.method == .get ? 24 : 8) {
        case 0: throw TransportError(.maybeSent, .connectionLost("lost before"), origin: origin)
        case 1:
            _ = try await base.send(request)
            throw TransportError(.maybeSent, .connectionLost("lost after"), origin: origin)
        case 2:
            _ = try await base.send(request)
            return try await base.send(request)
        case 3: throw TransportError(.notSent, .connectFailed("refused"), origin: origin)
        case 4: return HTTPResponse(status: 503)
        case 5:
            let response = try await base.send(request)
            return HTTPResponse(status: request.method == .get ? 502 : 409, body: response.body)
        default: return try await base.send(request)
        }
    }
}
