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
            "Exits with 0 only if the payment is made. With --journal this machine's records count, too: while an attempt "
            + "is open there, or after the wallet itself has sent coins, no refusal of the service is final.",
        arguments: [PaymentName.argument],
        options: [ServiceSession.json, AccountsOption.option] + PaymentOptions.payers,
        examples: [.init("payroute status citcon/order-7", "by provider and id")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try await ServiceSession(arguments, console, creatingJournal: false)
        let payment = try PaymentName.read(arguments, console, session.router)
        return await ServiceSession.finish(payment, arguments, console) {
            if case .succeeded = $0 { true } else { false }
        } by: { () async throws(PaymentError) in
            try await session.status(of: payment)
        }
    }
}
