import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// Every face of the router that states the outcome of a refund, with every record that the journal can hold of it, and
/// every report of the service.
@Suite("What may be stated about refunds")
struct RefundTableTests {
    private typealias Authority = LedgerTableTests.Authority
    private typealias Cell = LedgerTableTests.Cell

    /// A call that states an outcome.
    enum Face: String, CaseIterable {
        case refund, resume, recover, notification
        case foreignNotification = "notification of another payment's"
    }

    private static let records: [Authority] = [.none, .nothingSent, .request, .accepted, .refused, .distrusted]
    private static let request = RefundRequest(of: ScriptedProvider.reference, amount: .cents(250), id: "credit-7")
    private static let foreign = PaymentReference(provider: "acme", id: "credit-7", subject: .refund(of: "p2"))

    private static func reports(of refund: PaymentReference) -> [ServiceReport] {
        [
            .succeeded(PaymentReceipt(reference: refund)), .declined(DeclineReason(.refused, "no funds")), .cancelled,
            .expired, .pending(retryAfter: nil), .unknown(UnknownOutcome(reference: refund, message: "?")),
        ]
    }

    /// A service that makes one report to every question; its side comes to the stored steps again.
    private struct Claimant: RefundingService, NotificationReadingService {
        let report: ServiceReport
        let subject: PaymentReference
        let authority: Authority
        let descriptor = ProviderDescriptor(id: "acme", name: "Acme", patterns: [], outboundHosts: [])
        func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
            for case .stepStarted(let name, let kind) in authority.events(Date(timeIntervalSince1970: 0)) {
                _ = try await context.step(name, kind) { () async throws -> String in
                    if kind.movesMoney { throw PaymentError(.requestRefused, "no", phase: .answered) }
                    return "0x51"
                }
            }
            return report
        }
        func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport { report }
        func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
            .pending(retryAfter: nil)
        }
        func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
            PaymentNotification(reference: subject, report: report)
        }
    }

    private static func cell(_ face: Face, _ authority: Authority, _ report: Int) async throws -> Cell {
        let world = World()
        let attempt = PaymentAttempt(of: request, from: world.clock.now)
        if authority != .none { try await world.leave(attempt, authority.events(world.clock.now)) }
        let subject = face == .foreignNotification ? foreign : request.reference
        let key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        let router = try world.router(
            of: Claimant(report: reports(of: subject)[report], subject: subject, authority: authority),
            key: authority == .distrusted ? key : nil)
        func state() async throws -> PaymentOutcome? {
            switch face {
            case .refund: return try await router.refund(request)
            case .resume: return authority == .none ? nil : try await router.resume(attempt.id, as: Payer())
            case .recover: return try await router.recover(as: Payer()).first?.result.get()
            case .notification, .foreignNotification:
                return try await router.handle(IncomingNotification(headers: [:], body: []), from: "acme").outcome
            }
        }
        let result: Result<PaymentOutcome?, PaymentError>
        do { result = .success(try await state()) } catch let error as PaymentError { result = .failure(error) }
        let histories = try await world.journal.histories(of: request.reference)
        return Cell(
            result: result, ending: histories.first?.outcome, isOpen: histories.contains { !$0.isFinished })
    }

    @Test("Each cell is as it is written, and none says of a refund what the service did not say of this one")
    func table() async throws {
        var lines = [(["record", "report"] + Face.allCases.map(\.rawValue)).joined(separator: ",")]
        for authority in Self.records {
            for (index, report) in Self.reports(of: Self.request.reference).enumerated() {
                var line = [authority.rawValue, LedgerTableTests.word(report)]
                for face in Face.allCases {
                    let cell = try await Self.cell(face, authority, index)
                    let place: Comment = "\(face), \(authority.rawValue), \(report)"
                    line.append(cell.text)
                    if let outcome = cell.outcome, outcome.isFinal {
                        #expect(LedgerTableTests.word(outcome) == LedgerTableTests.word(report), place)
                    }
                    if face == .foreignNotification { #expect(cell.ending == nil, place) }
                    if authority == .distrusted, face != .foreignNotification {
                        #expect(!LedgerTableTests.isRefusal(cell.outcome), place)
                        #expect(cell.isOpen && cell.ending == nil, place)
                    }
                }
                lines.append(line.joined(separator: ","))
            }
        }
        try LedgerTableTests.check(lines, with: "ledger-refunds")
    }
}
