import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Records that were made without this key, or with another one.
@Suite("Records that cannot be trusted")
struct UntrustedRecordTests {
    private static func key(_ byte: UInt8) throws -> JournalKey {
        try JournalKey(Redacted([UInt8](repeating: byte, count: JournalKey.minimumLength)))
    }

    @Test(
        "A key that is added, changed or lost pays no payment twice",
        arguments: [(nil, 1), (1, 2)] as [(UInt8?, UInt8?)])
    func keyChange(_ before: UInt8?, _ after: UInt8?) async throws {
        let (clock, journal, random) = (VirtualClock(), InMemoryJournal(), SeededRandomSource(seed: 1))
        func pay(_ byte: UInt8?, _ settler: TestSettler) async throws -> PaymentOutcome {
            let router = try PaymentRouter(
                of: InvoiceProvider(), journal: journal, clock: clock, random: random,
                journalKey: try byte.map(Self.key))
            return try await router.pay(InvoiceProvider.payee, as: .careless(settler))
        }
        let settler = TestSettler(.losesAnswer)
        #expect(try await pay(before, settler).unknownOutcome != nil, "its answer was lost")
        settler.habit = .pays
        for _ in 0..<2 {
            let unknown = try #require(
                try await pay(after, settler).unknownOutcome, "paid beside a record that cannot be trusted")
            #expect(unknown.message.contains("changed by another program, or made without this key"))
        }
        #expect(settler.payments == 1)
    }
}
