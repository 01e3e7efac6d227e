import PaymentCore
import TestSupport
import Testing

@Suite("The cause of an error")
struct PaymentErrorCauseTests {
    /// An error whose every print shows the secret.
    private struct LeakingError: Error {
        let token = "hunter2"
    }

    private static let error = PaymentError(
        .payer, "the wallet failed", provider: "acme", phase: .answered, retry: .later, vendorCode: "W7",
        cause: LeakingError())

    @Test("It is visible to callers that ask for it")
    func isKept() {
        #expect((Self.error.cause as? LeakingError)?.token == "hunter2")
        #expect(PaymentError(.payer, "the wallet failed").cause == nil)
    }

    @Test("No print, dump or mirror shows it")
    func isNeverPrinted() {
        let outcome: Result<Int, PaymentError> = .failure(Self.error)
        let values: [Any] = [
            Self.error, Self.error as any Error, [Self.error], Optional(Self.error) as Any, outcome,
            ["failed": Self.error], (1, Self.error), PaymentError(.payer, "again", cause: Self.error),
        ]
        for value in values {
            let text = everyPrint(of: value)
            #expect(!text.contains("hunter2") && !text.contains("LeakingError"), "\(type(of: value))")
        }
        #expect(everyPrint(of: Self.error).contains("the wallet failed") && everyPrint(of: Self.error).contains("W7"))
        #expect(Mirror(reflecting: Self.error).children.map(\.label).contains("phase"))
    }

    @Test("It is no part of equality, the hash or the description, and an error has no coded form")
    func isNoPartOfTheValue() {
        let bare = PaymentError(
            .payer, "the wallet failed", provider: "acme", phase: .answered, retry: .later, vendorCode: "W7")
        #expect(bare == Self.error && bare.hashValue == Self.error.hashValue && Set([bare, Self.error]).count == 1)
        #expect(bare.description == Self.error.description)
        #expect(!((Self.error as Any) is any Encodable))
    }

    @Test("It stays when the message or the phase changes")
    func staysInCopies() {
        let copy = Self.error.with(message: "other", phase: .maybeSent, retry: .never)
        #expect(copy.message == "other" && copy.phase == .maybeSent && copy.retry == .never)
        #expect(copy.code == .payer && copy.provider == "acme" && copy.vendorCode == "W7")
        #expect(copy.cause is LeakingError)
        #expect(Self.error.with() == Self.error)
    }

    @Test("A failed exchange is the cause of its error")
    func ofTransport() {
        let failure = TransportError(.maybeSent, .timedOut, origin: "https://api.example")
        let error = PaymentError(failure, provider: "acme", isMutation: true)
        #expect(error.cause as? TransportError == failure && error.phase == .maybeSent)
    }

    @Test("It passes through steps that are kept in memory", arguments: [true, false])
    func throughUnstoredSteps(isMutation: Bool) async throws {
        let context = ProviderContext.unstored(
            hosts: [], http: NoNetwork(), clock: VirtualClock())
        let thrown = await #expect(throws: PaymentError.self) {
            _ = try await context.step("s", isMutation ? .mutation(replay: .never) : .query) { () -> Int in
                throw Self.error
            }
        }
        #expect(thrown?.cause is LeakingError)
    }
}
