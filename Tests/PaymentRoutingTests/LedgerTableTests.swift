import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import TestSupport
import Testing

/// Every face of the router, with every record that the journal can hold of what may have moved money, and every report
/// of the service.
@Suite("What may be stated about money")
struct LedgerTableTests {
    /// A call that states an outcome.
    enum Face: String, CaseIterable {
        case quote, pay, status, resume, recover, notification, callback, cancel
        /// A period of a plan is charged, and asked about after a process has ended.
        case charge, settle

        /// True if the call carries the open attempt on, or brings a message that can end it.
        var endsAttempts: Bool { self != .quote && self != .status }
    }

    /// A record that an earlier run left in the journal.
    enum Authority: String, CaseIterable {
        case none = "no attempt"
        case nothingSent = "nothing sent"
        case request = "request without an answer"
        case accepted = "request that was accepted"
        case refused = "request that was refused"
        case unsentSignature = "signature that was not handed in"
        case liveSignature = "live signature that was refused"
        case acceptedSignature = "live signature that was accepted"
        case pastSignature = "past signature that was refused"
        case transfer = "wallet's transaction"
        case lostTransfer = "wallet's transfer without an answer"
        case unbegunTransfer = "wallet's transfer that was abandoned unsent"
        case distrusted = "request in a record that was changed"

        /// True if it can still move money whatever the service says.
        var isLive: Bool {
            switch self {
            case .liveSignature, .acceptedSignature, .transfer, .lostTransfer, .distrusted: true
            default: false
            }
        }

        func events(_ now: Date) -> [JournalEntry.Event] {
            let charge = [JournalEntry.Event.stepStarted(name: "charge", kind: .mutation(replay: .never))]
            let refused = JournalEntry.Event.stepFailed(name: "charge", reason: "no")
            func signed(_ seconds: TimeInterval) -> [JournalEntry.Event] {
                [
                    .stepStarted(name: "sign", kind: .signature(until: now.addingTimeInterval(seconds))),
                    .stepFinished(name: "sign", result: "0x51"),
                ]
            }
            switch self {
            case .none: return []
            case .nothingSent: return [.stepStarted(name: "look", kind: .query)]
            case .request, .distrusted: return charge
            case .accepted: return charge + [.stepFinished(name: "charge", result: true)]
            case .refused: return charge + [refused]
            case .unsentSignature:
                return signed(900) + charge + [.stepFailed(name: "charge", reason: "no network", wasSent: false)]
            case .liveSignature: return signed(900) + charge + [refused]
            case .acceptedSignature: return signed(900) + charge + [.stepFinished(name: "charge", result: true)]
            case .pastSignature: return signed(-1) + charge + [refused]
            case .transfer:
                return [
                    .stepStarted(name: "send", kind: .walletTransfer), .stepFinished(name: "send", result: "0xaec8"),
                ]
            case .lostTransfer: return [.stepStarted(name: "send", kind: .walletTransfer)]
            case .unbegunTransfer:
                // Its start was stored, although the journal said that it was not.
                return [.stepStarted(name: "send", kind: .walletTransfer), .abandoned(reason: "the journal failed")]
            }
        }
    }

    private static let reports: [ServiceReport] = [
        .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)),
        .declined(DeclineReason(.refused, "no funds")), .cancelled, .expired, .pending(retryAfter: nil),
        .unknown(UnknownOutcome(reference: ScriptedProvider.reference, message: "?")),
    ]

    /// The link of a plan, which names its payee.
    private static let planLink = "https://pay.acme.example/mina"

    /// The payment as a period of that plan.
    private static func period(_ now: Date) -> PlannedPeriod {
        let period = RecurringPeriod(number: 0, start: now, end: now.addingTimeInterval(86_400))
        return PlannedPeriod(
            ScriptedProvider.reference, amount: .cents(1000), period: period, attempts: 1, isApproved: true)
    }

    /// A service that makes one report to every question; its payer's side comes to the stored steps again.
    private struct Claimant: NotificationReadingService, CancellingService, RedirectCompletingProvider,
        PayeeProvider, ForwardingProvider
    {
        let report: ServiceReport
        let authority: Authority
        let base = ScriptedProvider()
        func recognize(_ link: PaymentLink) -> LinkMatch? {
            guard link.text == LedgerTableTests.planLink else { return base.recognize(link) }
            return LinkMatch(.payee("mina"))
        }
        func payee(of option: PaymentMethodOption) -> String? { nil }
        func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
            ProviderQuote(
                reference: request.reference, payee: base.payee, amount: nil, options: base.options, report: report)
        }
        func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
            for case .stepStarted(let name, let kind) in authority.events(attempt.startedAt) {
                _ = try await context.step(name, kind) { () async throws -> String in
                    if kind.movesMoney { throw PaymentError(.requestRefused, "no", phase: .answered) }
                    return "0x51"
                }
            }
            return report
        }
        func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport { report }
        func complete(
            _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
        ) async throws -> ServiceReport {
            report
        }
        func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport { report }
        func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
            PaymentNotification(reference: ScriptedProvider.reference, report: report)
        }
    }

    /// What a face states, and what the journal holds then.
    struct Cell {
        let result: Result<PaymentOutcome?, PaymentError>
        let ending: PaymentOutcome?
        let isOpen: Bool

        var outcome: PaymentOutcome? { if case .success(let outcome) = result { outcome } else { nil } }
        /// A word for what is stated.
        var stated: String {
            switch result {
            case .success(let outcome): outcome.map(LedgerTableTests.word) ?? "nothing"
            case .failure(let error): "error \(error.code.rawValue) \(error.phase.rawValue)"
            }
        }
        /// The words of the table.
        var text: String { "\(stated) \(isOpen ? "open" : "closed")" }
    }

    /// Compares a table with its file, so that a change of any cell is seen.
    static func check(_ lines: [String], with name: String) throws {
        let text = lines.joined(separator: "\n") + "\n"
        let file = Vectors.root.appending(path: "Tests/Vectors/\(name).csv")
        if ProcessInfo.processInfo.environment["UPDATE_LEDGER_TABLE"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    private static func cell(
        _ face: Face, _ authority: Authority, _ report: ServiceReport
    ) async throws -> Cell {
        let world = World()
        var attempt: AttemptID?
        if authority != .none { attempt = try await world.crashed(authority.events(world.clock.now)) }
        let key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        let router = try world.router(
            of: Claimant(report: report, authority: authority), key: authority == .distrusted ? key : nil)
        let payment = ScriptedProvider.reference
        func state() async throws -> PaymentOutcome? {
            switch face {
            case .quote:
                let route = try #require(router.route(ScriptedProvider.link).route)
                return try await router.quote(route, as: .careless).outcome
            case .pay: return try await router.pay(ScriptedProvider.link, as: .careless)
            case .status: return try await router.status(of: payment)
            case .resume:
                guard let attempt else { return nil }
                return try await router.resume(attempt, as: .careless)
            case .recover: return try await router.recover(as: .careless).first?.result.get()
            case .notification:
                return try await router.handle(IncomingNotification(headers: [:], body: []), from: "acme").outcome
            case .callback: return try await router.handle("shop://paid?id=p1")
            case .cancel: return try await router.cancel(payment)
            case .charge:
                return try await router.pay(
                    Self.period(world.clock.now),
                    as: PlannedPeriod.Order(link: planLink, option: "card", paysByItself: true), with: .careless)
            case .settle: return try await router.settle(Self.period(world.clock.now), with: .careless)
            }
        }
        let result: Result<PaymentOutcome?, PaymentError>
        do { result = .success(try await state()) } catch let error as PaymentError { result = .failure(error) }
        return Cell(
            result: result, ending: try await world.histories.first?.outcome,
            isOpen: try await world.histories.contains { !$0.isFinished })
    }

    static func word(_ outcome: some CustomStringConvertible) -> String {
        String("\(outcome)".prefix(while: \.isLetter))
    }

    static func isRefusal(_ outcome: PaymentOutcome?) -> Bool {
        switch outcome {
        case .declined, .cancelled, .expired: true
        default: false
        }
    }

    @Test("Each cell is as it is written, and none says that no money moves while it still can")
    func table() async throws {
        var lines = [(["record", "report"] + Face.allCases.map(\.rawValue)).joined(separator: ",")]
        for authority in Authority.allCases {
            for report in Self.reports {
                var line = [authority.rawValue, Self.word(report)]
                for face in Face.allCases {
                    let cell = try await Self.cell(face, authority, report)
                    line.append(cell.text)
                    let place: Comment = "\(face), \(authority.rawValue), \(report)"
                    if authority.isLive {
                        #expect(!Self.isRefusal(cell.outcome) && !Self.isRefusal(cell.ending), place)
                    }
                    // Nothing is stated that the service did not report, and what is stated as over is closed.
                    if let outcome = cell.outcome, outcome.isFinal {
                        #expect(Self.word(outcome) == Self.word(report), place)
                        #expect(!cell.isOpen || !face.endsAttempts || authority == .distrusted, place)
                    }
                    // Once nothing can move money any more, the service's report ends the attempt.
                    if [.request, .accepted, .pastSignature].contains(authority), face.endsAttempts, report.isFinal {
                        #expect(cell.outcome.map(Self.word) == Self.word(report) && !cell.isOpen, place)
                    }
                }
                lines.append(line.joined(separator: ","))
            }
        }
        try Self.check(lines, with: "ledger")
    }
}
