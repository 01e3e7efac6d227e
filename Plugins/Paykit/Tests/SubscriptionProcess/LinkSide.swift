import Foundation
import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRecurring
import PaymentStandards

/// One side of a private link, as an application has it.
struct LinkSide: Side {
    private let application: Application
    private let link: PaykitPrivateLink

    init(with user: String, _ application: Application) async throws {
        self.application = application
        link = try await application.client.privateLink(with: user)
    }

    private static let bolt11 = "btc-lightning-bolt11"

    func answer(_ command: JSONValue) async throws -> JSONValue {
        switch command["do"]?.string {
        case "poll":
            let status = try await link.poll()
            let requests = try await link.requests().map { request -> JSONValue in
                [
                    "id": .string(request.id), "own": .bool(request.isOwn), "phase": .string(request.phase.rawValue),
                    "reference": .string(request.reference), "recurs": .bool(request.recurs),
                    "amount": .string(request.amount?.decimalText ?? ""),
                ]
            }
            return ["status": .string("\(status)"), "requests": .array(requests)]
        case "ask":
            let (amount, start) = (try Money(minorUnits: 2100, currency: .satoshi), try command.number("start"))
            let recurrence = PaykitRecurrence(
                every: 1, .month, from: Date(timeIntervalSince1970: Double(start)), until: nil)
            let own = application.keyPair.publicKey
            let id = try await link.ask(
                for: amount, reference: command.text("reference"), methods: [Self.bolt11],
                at: [
                    PaykitEndpoint(
                        methodID: Self.bolt11, endpoint: await application.sandbox.createInvoice(2100, for: own))
                ],
                recurring: recurrence)
            return ["id": .string(id)]
        case "accept": try await link.accept(command.text("id"))
        case "cancel": try await link.cancel(command.text("id"), reason: "moved away")
        case "pay":
            try await link.pay(
                period: try await period(command), of: command.text("id"),
                with: SandboxSettler(at: application.url, over: application.transport),
                check: PaykitEndpointCheck(StandardsReader(), network: .regtest))
        case "receipt":
            let (id, period) = (try command.text("id"), try await period(command))
            guard case .preimage(_, let hash)? = try await link.proof(of: id, period: period),
                await application.sandbox.proof(ofPaying: hash) != nil
            else { throw UnfitCommand(description: "the payment has not arrived") }
            try await link.issueReceipt(for: id, period: period)
        case "receipts":
            return ["receipts": .array(try await link.receipts(for: command.text("id")).map { .string($0) })]
        default: throw UnfitCommand(description: "there is no such command")
        }
        return [:]
    }

    private func period(_ command: JSONValue) async throws -> RecurringPeriod {
        let id = try command.text("id")
        guard let schedule = try await link.requests().first(where: { $0.id == id })?.schedule,
            let period = schedule.period(Int(try command.number("number")))
        else { throw UnfitCommand(description: "the request has no such period") }
        return period
    }
}
