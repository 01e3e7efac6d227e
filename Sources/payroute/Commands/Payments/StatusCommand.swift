import PaymentCore
import PaymentRouting

/// `payroute status`: the outcome of a payment.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Ask for the outcome of a payment."
    static let syntax = CommandSyntax(
        path: "payroute status",
        overview: "Ask the service for the outcome of a payment. Nothing is changed by it.",
        discussion:
            "Exits with 0 only if the payment is made; of a link that names a payee, each payment of the journal is shown, and all have to be made. With --journal this machine's records count, too: while an attempt "
            + "is open there, or after the wallet itself has sent coins, no refusal of the service is final.",
        arguments: [PaymentName.argument],
        options: [ServiceSession.json, AccountsOption.option] + PaymentOptions.payers,
        examples: [.init("payroute status citcon/order-7", "by provider and id")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try await ServiceSession(arguments, console, creatingJournal: false)
        let payments = try await PaymentName.readAll(arguments, console, session.router)
        var code = ExitCode.done
        for payment in payments {
            let ended = await session.finish(payment, arguments, console) {
                $0 == .succeeded
            } by: { () async throws(PaymentError) in
                try await session.status(of: payment)
            }
            if ended != .done { code = ended }
        }
        return code
    }
}
