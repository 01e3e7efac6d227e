import PaymentCore
import PaymentRouting

/// `payroute cancel`: cancels a payment, as its merchant does.
enum CancelCommand: Command {
    static let name = "cancel"
    static let summary = "Cancel a payment that is not paid yet."
    static let syntax = CommandSyntax(
        path: "payroute cancel",
        overview: "Cancel a payment at a sandbox that is not paid yet, as its merchant does.",
        discussion:
            "Ends with 0 only when the payment is cancelled. Where it has been paid meanwhile, that is said, and "
            + "nothing is refunded: 'payroute refund' does that.",
        arguments: [PaymentName.argument], options: [ServiceSession.json] + PaymentOptions.merchants)

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try ServiceSession(arguments, console, creatingJournal: true)
        let payment = await session.asMerchant(try PaymentName.read(arguments, console, session.router))
        return await ServiceSession.finish(payment, arguments, console) {
            $0 == .cancelled
        } by: { () async throws(PaymentError) in
            try await session.router.cancel(payment)
        }
    }
}
