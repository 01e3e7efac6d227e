import PaymentCore
import PaymentRouting

/// Questions of payments to their payers, until a caller answers. Each question is answered once.
actor ServeActions {
    /// The kinds of questions.
    enum Kind: String, CaseIterable, Sendable {
        case choose, amount, sign, data, page, app, code, settle
    }

    private struct Question {
        let id: String
        let json: JSONValue
        let names: Set<String>
        let check: @Sendable (ServeBody) throws(ServeError) -> Void
        let answer: CheckedContinuation<ServeBody?, any Error>
    }

    private let random: any RandomSource
    /// Called whenever a payment has another question than before.
    private let changed: @Sendable (String) async -> Void
    private var open: [String: [Question]] = [:]
    private var answered: [String: Set<String>] = [:]

    init(random: any RandomSource, changed: @escaping @Sendable (String) async -> Void) {
        (self.random, self.changed) = (random, changed)
    }

    /// The question that a payment waits for.
    func action(of payment: String) -> JSONValue? { open[payment]?.first?.json }

    /// True if a payment waits for its payer.
    func isAsking(_ payment: String) -> Bool { open[payment]?.isEmpty == false }

    /// Forgets a payment that no longer runs: its answered questions are unknown from then on.
    func forget(_ payment: String) { answered[payment] = nil }

    /// Hands a question out, and waits for its answer.
    ///
    /// - Parameters:
    ///   - members: What the payer has to know.
    ///   - names: The members that an answer may have, beside `decline`.
    ///   - check: Refuses an answer that cannot be read, and leaves the question open.
    /// - Returns: the answer; nil where the payer declines.
    /// - Throws: `CancellationError` when the payment no longer asks.
    func ask(
        _ kind: Kind, _ members: [String: JSONValue], of payment: String, answer names: Set<String>,
        check: @escaping @Sendable (ServeBody) throws(ServeError) -> Void
    ) async throws -> ServeBody? {
        let id = random.id("act_")
        let own: [String: JSONValue] = ["id": .string(id), "kind": .string(kind.rawValue)]
        let json = JSONValue.object(members.merging(own) { $1 })
        let (changed, executor) = (changed, RouterTasks.executor)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                open[payment, default: []].append(
                    Question(id: id, json: json, names: names, check: check, answer: continuation))
                Task(executorPreference: executor) { await changed(payment) }
            }
        } onCancel: {
            Task(executorPreference: executor) { await self.withdraw(id, of: payment) }
        }
    }

    /// Passes an answer to the payment that asked.
    ///
    /// - Throws: ``ServeError``, 409 for a question that was answered, 404 for one that there is not, 422 for an answer
    ///   that cannot be read; none of them changes anything.
    func answer(_ id: String, of payment: String, with bytes: [UInt8]) async throws(ServeError) {
        guard let place = open[payment]?.firstIndex(where: { $0.id == id }), let question = open[payment]?[place] else {
            guard answered[payment]?.contains(id) == true else { throw .notFound }
            throw ServeError(409, "action-answered", "this action was answered already; look at the payment")
        }
        let body = try ServeBody(bytes, question.names.union(["decline"]))
        let declines = try body.flag("decline")
        if !declines { try question.check(body) }
        open[payment]?.remove(at: place)
        answered[payment, default: []].insert(id)
        question.answer.resume(returning: declines ? nil : body)
        await changed(payment)
    }

    private func withdraw(_ id: String, of payment: String) async {
        guard let place = open[payment]?.firstIndex(where: { $0.id == id }) else { return }
        open[payment]?.remove(at: place).answer.resume(throwing: CancellationError())
        await changed(payment)
    }
}
