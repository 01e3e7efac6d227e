import PaymentCore
import PaymentRouting

/// `payroute cancel`: cancels a payment, as its merchant does.
enum CancelCommand: Command {
    static let name = "cancel"
    static let summary = "Cancel a payment that is not paid yet."
    static let syntax = CommandSyntax(
        path: "payroute cancel",
        overview: "Cancel a payment that is not paid yet, as its merchant does.",
        discussion:
            "Exits with 0 only if the payment is cancelled. A payment that was paid meanwhile is reported as paid and not "
            + "refunded: 'payroute refund' does that.",
        arguments: [PaymentName.argument], options: [ServiceSession.json] + PaymentOptions.merchants,
        examples: [.init("payroute cancel citcon/order-7", "by provider and id")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try await ServiceSession(arguments, console, creatingJournal: true)
        let payment = await session.asMerchant(try PaymentName.read(arguments, console, session.router))
        return await session.finish(payment, arguments, console) {
            $0 == .cancelled
        } by: { () async throws(PaymentError) in
            try await session.router.cancel(payment)
        }
    }
}
