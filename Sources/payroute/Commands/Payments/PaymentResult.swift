import PaymentCore
import SandboxSupport

/// The result of one payment: the last object of `pay --json`.
struct PaymentResult: Sendable, Equatable {
    /// The ways a payment can end.
    enum Ending: String, Sendable {
        case succeeded, declined, cancelled, expired, pending, unknown
        /// It could not continue. Nothing was handed out for it.
        case failed

        init(_ outcome: PaymentOutcome) {
            self =
                switch outcome {
                case .succeeded: .succeeded
                case .declined: .declined
                case .cancelled: .cancelled
                case .expired: .expired
                case .pending: .pending
                case .unknown: .unknown
                }
        }

        var tone: Style.Tone {
            switch self {
            case .succeeded: .good
            case .pending, .unknown: .doubtful
            case .declined, .cancelled, .expired, .failed: .bad
            }
        }
    }

    /// The link, as far as it may be shown.
    let input: String
    var provider: String?
    var reference: String?
    /// The attempt, once there is one.
    var attempt: AttemptID?
    var payee: String?
    /// The amount that left the payer, or that was to leave, or that the payee asked for: the first that is known.
    var amount: Money?
    var transaction: String?
    /// The option that was chosen without a question, when there was more than one.
    var choiceRemark: String?
    /// True if the payment was over or in flight before anything was sent.
    var wasBegunBefore = false
    var ending = Ending.failed
    var reason = ""
    /// The error that stopped the payment, or the question about it.
    private(set) var error: PaymentError?

    /// A payment that has not begun.
    init(_ input: String) {
        self.input = input
    }

    /// Applies the payment's outcome.
    private mutating func end(_ outcome: PaymentOutcome) {
        let already = outcome.isFinal ? "already over: " : "already in progress: "
        reason = (wasBegunBefore ? already : "") + outcome.description
        ending = Ending(outcome)
        guard case .succeeded(let receipt) = outcome else { return }
        amount = receipt.amount ?? amount
        transaction = receipt.transactionID
    }

    /// Applies the router's statement about the payment.
    mutating func end(_ statement: PaymentStatement) {
        switch statement {
        case .stated(let outcome): end(outcome)
        case .unanswered(let error, let known): (ending, reason, self.error) = (.unknown, known.message, error)
        case .notBegun(let error):
            (ending, reason, self.error) = (error.code == .cancelled ? .cancelled : .failed, error.message, error.fact)
        }
    }

    /// The object as a line.
    func write(to buffer: inout [UInt8]) {
        buffer.addJSONLine { line in
            line.addAmount(amount)
            line.addMember("askAgain", ending == .unknown || ending == .pending)
            line.addMember("event", "outcome")
            line.addMember("input", input)
            line.addMember("outcome", ending.rawValue)
            line.addMember("provider", provider)
            line.addMember("reason", reason)
            line.addMember("reference", reference)
            line.addMember("transaction", transaction)
            line.addUnit(amount)
        }
    }

    /// Returns the exit code for scripts. A success stays a success even when a signal came too late.
    func exitCode(after signal: Int32?) -> ExitCode {
        if ending == .succeeded { return .done }
        return signal.map(ExitCode.interrupted(by:)) ?? .failed
    }
}

extension Console {
    /// Shows the result of a payment, or of a command about one.
    ///
    /// - Parameter hasSteps: True if steps were printed before, which an empty line sets apart.
    func show(_ result: PaymentResult, isJSON: Bool, hasSteps: Bool = false) {
        if isJSON {
            output.edit { result.write(to: &$0) }
            return
        }
        let rows = [
            ("outcome", style(result.ending.tone, result.ending.rawValue)), ("reason", Printable.text(result.reason)),
            ("payee", result.payee.map(Printable.name)), ("amount", result.amount.map(AmountText.words)),
            ("payment", result.reference.map { Printable.text($0) }),
            ("transaction", result.transaction.map { Printable.text($0) }),
        ]
        if hasSteps { output.write("\n") }
        for case (let label, let text?) in rows {
            output.write(Table.line([Table.Cell(label, .faint), Table.Cell(text)], [11, 0], style) + "\n")
        }
    }
}
