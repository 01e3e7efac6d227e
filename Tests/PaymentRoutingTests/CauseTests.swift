import PaymentCore
import PaymentRouting
import PaymentStore
import TestSupport
import Testing

@Suite("The cause of an error on its way through the router")
struct CauseTests {
    /// An error of a provider's vendor, which holds a secret.
    private struct VendorError: Error {
        let token = "hunter2"
    }

    private static func world(
        _ kind: StepKind, _ phase: PaymentError.Phase, _ code: PaymentError.Code = .requestRefused
    ) -> World {
        var world = World()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("s", kind) { () -> Int in
                throw PaymentError(code, "no", phase: phase, vendorCode: "V1", cause: VendorError())
            }
            return .pending(retryAfter: nil)
        }
        return world
    }

    private static func isVendors(_ error: PaymentError?) -> Bool {
        (error?.cause as? VendorError)?.token == "hunter2" && error.map { !"\($0)".contains("hunter2") } == true
    }

    @Test(
        "It comes out of a payment whose step failed",
        arguments: [StepKind.query, .interaction, .mutation(replay: .never), .mutation(replay: .sameKey)])
    func ofAStep(kind: StepKind) async throws {
        let world = Self.world(kind, .answered)
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(Self.isVendors(error) && error?.provider == "acme" && error?.vendorCode == "V1")
    }

    @Test("It comes out of an attempt that is resumed, and no entry of the journal holds it")
    func ofAResumedAttempt() async throws {
        let world = Self.world(.query, .answered)
        let attempt = try await world.crashed([.stepStarted(name: "s", kind: .query)])
        let error = await #expect(throws: PaymentError.self) { try await world.router.resume(attempt, as: .careless) }
        #expect(Self.isVendors(error))
        let histories = try await world.histories
        var text = ""
        dump(histories, to: &text)
        #expect(!histories.isEmpty && !text.contains("hunter2") && !text.contains("VendorError"))
    }

    @Test("It comes out of a quote")
    func ofAQuote() async throws {
        var world = World()
        world.provider.quoteBody = { throw PaymentError(.requestRefused, "no", cause: VendorError()) }
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(Self.isVendors(error))
    }

    @Test("A foreign error is named by its type only, and is the cause")
    func ofAForeignError() async throws {
        var world = World()
        world.provider.payBody = { _, _ in throw VendorError() }
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(error?.code == .providerFault && Self.isVendors(error))
    }

    @Test("An option that has changed says why when the attempt is abandoned")
    func ofAChangedOption() async throws {
        let world = Self.world(.query, .beforeSend, .optionChanged)
        let attempt = try await world.crashed([])
        let error = await #expect(throws: PaymentError.self) { try await world.router.resume(attempt, as: .careless) }
        #expect(error?.code == .optionChanged && Self.isVendors(error))
    }

    @Test("A journal that fails is the cause of what could not be stored")
    func ofTheJournal() async throws {
        let writes: [@Sendable (JournalEntry.Event?) -> Bool] = [
            { $0 == nil }, { if case .stepStarted? = $0 { true } else { false } },
        ]
        for fails in writes {
            var world = Self.world(.query, .answered)
            world.journal = FailingJournal(fails)
            let error = await #expect(throws: PaymentError.self) { try await world.pay() }
            #expect(error?.code == .journal && error?.cause is FailingJournal.Full)
        }
        var world = Self.world(.query, .answered)
        world.journal = FailingJournal { if case .abandoned? = $0 { true } else { false } }
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(error?.phase == .maybeSent && Self.isVendors(error), "the provider's reason stays")
        let locked = FailingJournal { _ in false }
        await locked.lock()
        world.journal = locked
        let unleased = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(unleased?.code == .journal && unleased?.cause is FailingJournal.Full)
    }
}
