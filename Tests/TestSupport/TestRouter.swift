package import PaymentCore
package import PaymentRouting
import PaymentTesting

extension PaymentRouter {
    /// Creates a router of some services on virtual time, with random numbers that repeat.
    package init(
        _ services: any PaymentService..., over transport: any HTTPTransport = RecordingTransport(),
        journal: any PaymentJournal = InMemoryJournal(), clock: any PaymentClock = VirtualClock(), seed: UInt64 = 1,
        readers: [any InstructionReader] = [], secrets: any SecretStore = NoSecrets(), log: PaymentLog = .silent,
        leases: LeasePolicy = LeasePolicy(), journalKey: JournalKey? = nil, autoPay: AutoPay? = nil
    ) throws {
        self.init(
            registry: try ProviderRegistry(services), transport: transport, journal: journal, readers: readers,
            clock: clock, random: SeededRandomSource(seed: seed), secrets: secrets, log: log,
            leases: leases, journalKey: journalKey, autoPay: autoPay)
    }
}
