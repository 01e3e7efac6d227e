import PaymentCore
import PaymentRouting

/// `payroute status`: the outcome of a payment.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Ask what has become of a payment."
    static let syntax = CommandSyntax(
        path: "payroute status",
        overview: "Ask the service what has become of a payment. Nothing is changed by it.",
        discussion:
            "Ends with 0 only when the payment is made, so that a script cannot take an answer for a payment. With "
            + "--journal what this machine knows counts, too: while an attempt is open there, or after the wallet itself "
            + "has sent coins, no refusal of the service is final.",
        arguments: [PaymentName.argument], options: [ServiceSession.json] + PaymentOptions.payers)

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try ServiceSession(arguments, console, creatingJournal: false)
        let payment = try PaymentName.read(arguments, console, session.router)
        return await ServiceSession.finish(payment, arguments, console) {
            if case .succeeded = $0 { true } else { false }
        } by: { () async throws(PaymentError) in
            try await session.status(of: payment)
        }
    }
}
