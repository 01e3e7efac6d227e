import PaymentCore
import PaymentRouting
import SandboxSupport

/// Creates the payer of one payment. Everything that the server's own wallet does not do becomes a question to the
/// caller.
struct ServePayer: Sendable {
    /// The wallet that signs and pays by itself. If nil, the caller is asked for every signature.
    let wallet: Payer?
    let actions: ServeActions
    let table: ServeTable
    let clock: any PaymentClock

    /// Returns the payer of the payment called `id`.
    func payer(of id: String, _ order: ServeOrder?, tenant: String) -> Payer {
        var payer = wallet ?? Payer()
        (payer.chooser, payer.policy) = ({ try await choice(from: $0, of: id) }, nil)
        if wallet == nil { payer.accounts = order?.accounts ?? [] }
        payer.signer = payer.signer ?? Signer(actions: actions, payment: id)
        payer.settler =
            payer.settler
            ?? CallerSettler(table: table, actions: actions, payment: id, tenant: tenant, clock: clock)
        if let amount = order?.amount {
            payer.amountChooser = { _ in amount }
        } else {
            payer.amountChooser = { try await amount($0, of: id) }
        }
        payer.dataCollector = payer.dataCollector ?? { try await data($0, of: id) }
        payer.browser = payer.browser ?? { try await page($0, of: id) }
        payer.appLauncher = payer.appLauncher ?? { try await app($0, of: id) }
        payer.codeDisplay = payer.codeDisplay ?? { try await show($0, of: id) }
        return payer
    }

    /// Returns the payer of a quote, who is asked nothing.
    func quoter(_ order: ServeOrder) -> Payer {
        var payer = payer(of: "", order, tenant: "")
        if order.amount == nil { payer.amountChooser = nil }
        return payer
    }

    /// Asks which option of a quote is paid, and returns nil for none.
    private func choice(from quote: PaymentQuote, of id: String) async throws -> PaymentMethodOption.ID? {
        let usable = Set(quote.options.filter(\.unmet.isEmpty).map(\.id))
        let members: [String: JSONValue] = ["options": .array(quote.options.map(\.members))]
        let answer = try await actions.ask(
            .choose, members.merging(Self.terms(quote)) { $1 }, of: id, answer: ["option"]
        ) {
            (body) throws(ServeError) in
            guard usable.contains(try body.required("option")) else {
                throw ServeError(422, "unusable-option", "there is no such option that can be paid; choose another")
            }
        }
        return try answer?.required("option")
    }

    /// Payee and amount of a quote.
    static func terms(_ quote: PaymentQuote) -> [String: JSONValue] {
        SessionEvent.amount(quote.amount).merging(["payee": .string(quote.payee.name)]) { $1 }
    }

    private func amount(_ request: AmountRequest, of id: String) async throws -> Money? {
        var members: [String: JSONValue] = [
            "payee": .string(request.payee.name), "unit": .string(request.currency.mainUnit),
        ]
        members["minimum"] = request.minimum.map { .string($0.decimalText) }
        members["suggested"] = request.suggested.map { .string($0.decimalText) }
        let answer = try await actions.ask(.amount, members, of: id, answer: ["amount"]) { (body) throws(ServeError) in
            guard try body.money("amount")?.currency == request.currency else {
                throw .malformed("the member 'amount' is not an amount in \(request.currency.mainUnit)")
            }
        }
        return try answer?.money("amount")
    }

    private func data(_ request: DataRequest, of id: String) async throws -> [String: Redacted<String>]? {
        let fields = request.fields.map { field -> JSONValue in
            [
                "id": .string(field.id), "name": .string(field.name), "kind": .string(field.kind.rawValue),
                "required": .bool(field.isRequired),
            ]
        }
        let required = request.fields.filter(\.isRequired).map(\.id)
        let members: [String: JSONValue] = [
            "fields": .array(fields), "form": request.formURL.map { .string($0.text) } ?? .null,
        ]
        let answer = try await actions.ask(.data, members, of: id, answer: ["values"]) { (body) throws(ServeError) in
            let values = try body.texts("values")
            if let missing = required.first(where: { values[$0] == nil }) {
                throw .malformed("the field '\(Printable.short(missing, 40))' is missing")
            }
        }
        return try answer?.texts("values").mapValues { Redacted($0) }
    }

    private func page(_ page: PageRequest, of id: String) async throws -> PaymentLink? {
        try await leave(
            .page, ["url": .string(page.url.text), "returns": .array(page.returnURLs.map { .string($0) })], of: id)
    }

    private func app(_ app: AppRequest, of id: String) async throws -> PaymentLink? {
        try await leave(
            .app,
            [
                "name": .string(app.name), "url": app.url.map { .string($0.reveal()) } ?? .null,
                "payload": .object(app.payload.reveal().mapValues { .string($0) }),
                "returns": .array(app.returnURLs.map { .string($0) }),
            ], of: id)
    }

    /// Sends the payer elsewhere, and waits for the return.
    private func leave(
        _ kind: ServeActions.Kind, _ members: [String: JSONValue], of id: String
    ) async throws -> PaymentLink? {
        let answer = try await actions.ask(kind, members, of: id, answer: ["url"]) { (body) throws(ServeError) in
            guard let url = try body.text("url") else { return }
            do { _ = try PaymentLink(url) } catch { throw .malformed("the member 'url' is no link: \(error)") }
        }
        guard let answer else { throw PaymentError(.cancelled, "the payer declined") }
        return try answer.text("url").map { try PaymentLink($0) }
    }

    private func show(_ code: CodeRequest, of id: String) async throws {
        let members: [String: JSONValue] = [
            "text": .string(code.text.reveal()),
            "expires": code.expiresAt.map { .string(AttemptSummary.text($0)) } ?? .null,
        ]
        guard try await actions.ask(.code, members, of: id, answer: [], check: { _ in }) != nil else {
            throw PaymentError(.cancelled, "the payer declined")
        }
    }
}

// MARK: - Questions

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

    /// Asks a question, and waits for its answer.
    ///
    /// - Parameters:
    ///   - members: The facts that the payer has to know.
    ///   - names: The members that an answer may have, in addition to `decline`.
    ///   - check: Refuses an answer that cannot be read, and leaves the question open.
    /// - Returns: the answer, or nil if the payer declines.
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
    /// - Throws: ``ServeError``: 409 for a question that was answered, 404 for an unknown one, 422 for an answer that
    ///   cannot be read. None of them changes anything.
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

/// A signer that passes every wallet call to the caller, with the review of its effects.
private struct Signer: PaymentSigner {
    let actions: ServeActions
    let payment: String

    func supports(method: String) -> Bool { true }

    func sign(_ request: SigningRequest) async throws -> String {
        let review = request.review.map { review -> JSONValue in
            [
                "digest": review.digest.map { .string("0x" + Hex.encode($0)) } ?? .null,
                "lines": .array(review.lines.map { .string($0) }),
                "warnings": .array(review.warnings.map { .string($0.rawValue) }),
            ]
        }
        let answer = try await actions.ask(
            .sign,
            [
                "account": .string(request.account.text), "method": .string(request.method),
                "parameters": request.parameters, "number": .number(JSONNumber(request.index + 1)),
                "of": .number(JSONNumber(request.count)), "review": review ?? .null,
            ], of: payment, answer: ["result"]
        ) { (body) throws(ServeError) in _ = try body.required("result") }
        guard let answer else { throw PaymentError(.cancelled, "the payer declined") }
        return try answer.required("result")
    }
}
