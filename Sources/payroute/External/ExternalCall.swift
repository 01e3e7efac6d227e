import PaymentCore
import SandboxSupport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call of an external provider: the messages from the question to its answer.
struct ExternalCall: Sendable {
    let manifest: ExternalManifest
    let limits: ExternalProvider.Limits
    let context: ProviderContext
    /// The attempt's key, if there is an attempt.
    let key: String?
    /// The call's id, which no other call of this process has: every message of the call carries it.
    private let id = Self.calls.add(1, ordering: .relaxed).newValue
    private let money = MoneyWatch()

    private static let calls = Atomic<Int64>(0)

    init(manifest: ExternalManifest, limits: ExternalProvider.Limits, context: ProviderContext, key: String?) {
        self.manifest = manifest
        self.limits = limits
        self.context = context
        self.key = key
    }

    /// A record of whether money can have moved in this call, independent of the program's own statements.
    private final class MoneyWatch: Sendable {
        private let state = Mutex((hasMoved: false, messages: 0))
        var hasMoved: Bool { state.withLock(\.hasMoved) }
        func mayMove() { state.withLock { $0.hasMoved = true } }
        func count() -> Int {
            state.withLock { state in
                state.messages += 1
                return state.messages
            }
        }
    }

    /// Sends the question, does the work that the program requests, and returns its final message, whose type is
    /// `ending`.
    func run(_ question: JSONValue, ending: String, _ process: ExternalProcess) async throws -> JSONValue {
        var question = question
        question["id"] = .number(JSONNumber(id))
        try process.send(question, within: limits.message)
        return try await converse(until: ending, process, in: nil)
    }

    /// Exchanges messages until one of type `ending`.
    ///
    /// - Parameter step: The kind of step that the program is in.
    private func converse(
        until ending: String, _ process: ExternalProcess, in step: StepKind?
    ) async throws -> JSONValue {
        while true {
            guard money.count() <= limits.messages else {
                throw fault("it sent more than \(limits.messages) messages in one call")
            }
            let message = try process.receive(within: limits.message)
            let type = message["type"]?.string ?? ""
            guard message["id"]?.int64 == id else {
                throw fault(
                    "its message of type '\(Printable.text(type, limit: 20))' has not the id of this call: it is late, "
                        + "of another call, or of none")
            }
            if type == ending { return message }
            switch type {
            case "request":
                let body = try await send(message, in: step)
                try process.send(["type": "answer", "body": body], within: limits.message)
            case "step" where step == nil:
                let result = try await self.step(message, process)
                try process.send(["type": "stored", "result": result], within: limits.message)
            case "secret":
                try process.send(["type": "secret", "value": try await secret(message)], within: limits.message)
            case "wait":
                let seconds = message["seconds"]?.number?.double ?? 0
                guard (0...300).contains(seconds) else {
                    throw fault("it wants to wait for another time than 0 to 300 s")
                }
                try await context.clock.sleep(for: .milliseconds(Int64(seconds * 1000)))
                try process.send(["type": "waited", "now": now], within: limits.message)
            case "log": context.log(Printable.text(message["message"]?.string ?? "", limit: 200))
            case "fail":
                let reason = Printable.text(message["message"]?.string ?? "it gave no reason", limit: 200)
                throw PaymentError(
                    .invalidResponse, reason, provider: manifest.descriptor.id,
                    phase: money.hasMoved ? .maybeSent : .beforeSend)
            default: throw fault("it sent a message of type '\(Printable.text(type, limit: 20))' where none belongs")
            }
        }
    }

    private var now: JSONValue { .number(JSONNumber(Int64(context.clock.now.timeIntervalSince1970))) }

    // MARK: What is done for it

    /// Sends a request with a JSON body and a JSON answer. A status that was not asked for ends the call here, with the
    /// right statement about the money.
    private func send(_ message: JSONValue, in step: StepKind?) async throws -> JSONValue {
        guard let method = message["method"]?.string, ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method),
            let text = message["url"]?.string, let url = try? HTTPURL(text)
        else { throw fault("its request has no method, or no URL") }
        var headers: HTTPHeaders = [:]
        for (name, value) in (message["headers"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let value = value.string else { throw fault("a header field of its request is no text") }
            headers[name] = value
        }
        let statuses =
            message["accept"]?.array?.compactMap { $0.int64.flatMap { Int(exactly: $0) } } ?? [200, 201, 202]
        let isMutation = step?.isMutation ?? false
        if method != "GET", !isMutation { throw fault("it sends a \(method) outside a mutation step") }
        let usesKey = message["key"]?.bool ?? false
        guard !usesKey || step == .mutation(replay: .sameKey) else {
            throw fault("it sends a key outside a mutation step whose replay is 'sameKey'")
        }
        // From here on, only this program decides whether the request may have arrived.
        if isMutation { money.mayMove() }
        let body = message.present("body")
        return try await context.json(
            HTTPRequest.Method(rawValue: method), url, body: body, headers: headers,
            idempotencyKey: usesKey ? key : nil, accepting: Set(statuses), as: JSONValue.self)
    }

    /// Runs a durable step: its body is the messages between `run` and `done`.
    private func step(_ message: JSONValue, _ process: ExternalProcess) async throws -> JSONValue {
        guard let name = message["name"]?.string, (1...64).contains(name.utf8.count) else {
            throw fault("its step has no name of 1 to 64 bytes")
        }
        let kind: StepKind
        switch (message["kind"]?.string, message["replay"]?.string) {
        case ("query", nil): kind = .query
        case ("mutation", "never"): kind = .mutation(replay: .never)
        case ("mutation", "sameKey"): kind = .mutation(replay: .sameKey)
        case ("mutation", "atAnyTime"): kind = .mutation(replay: .atAnyTime)
        default:
            throw fault(
                "its step is neither a 'query' nor a 'mutation' with 'replay': 'never', 'sameKey' or 'atAnyTime'")
        }
        let result = try await context.step(name, kind) {
            do {
                try process.send(["type": "run"], within: limits.message)
                return try await converse(until: "done", process, in: kind)["result"] ?? .null
            } catch let failure as ExternalProcess.ProcessError {
                throw error(failure)
            }
        }
        if kind.isMutation { money.mayMove() }
        return result
    }

    private func secret(_ message: JSONValue) async throws -> JSONValue {
        guard let name = message["name"]?.string, manifest.secrets.contains(name) else {
            throw fault("it asks for a secret that it did not declare")
        }
        return try await context.secrets.secret(name).map { .string($0.reveal()) } ?? .null
    }

    // MARK: Errors

    /// Does `work`. Its failure leaves the payment open if money may have moved already.
    func judging<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as PaymentError {
            guard money.hasMoved, error.phase != .maybeSent else { throw error }
            throw PaymentError(
                error.code, error.message, provider: manifest.descriptor.id, phase: .maybeSent, retry: error.retry)
        }
    }

    private func fault(_ text: String) -> PaymentError {
        PaymentError(
            .providerFault, "the external provider broke its protocol: \(text)", provider: manifest.descriptor.id,
            phase: money.hasMoved ? .maybeSent : .beforeSend)
    }

    /// Returns the error for the payment when the program ends.
    func error(_ failure: ExternalProcess.ProcessError) -> PaymentError {
        if case .cancelled = failure {
            return PaymentError(
                .cancelled, "the payment was cancelled while the external provider worked",
                provider: manifest.descriptor.id, phase: money.hasMoved ? .maybeSent : .beforeSend)
        }
        // Programs end like this if a service's answer is not what they expect.
        var isEnd = false
        if case .ended = failure { isEnd = true }
        return PaymentError(
            isEnd ? .invalidResponse : .providerFault, "the external provider \(failure.words)",
            provider: manifest.descriptor.id,
            phase: money.hasMoved ? .maybeSent : .beforeSend, retry: .later)
    }
}

// MARK: - Values

/// The values of the protocol with external providers.
enum ExternalNames {
    /// `{"value": "12.50", "unit": "iso4217/EUR", "digits": 2}`. Digits are for assets, which define none. Bitcoin is
    /// `BTC`, or whole satoshis in `sat`.
    static func amount(_ amount: Money) -> JSONValue {
        [
            "value": .string(amount.decimalText), "unit": .string(amount.currency.mainUnit),
            "digits": .number(JSONNumber(Int(amount.exponent))),
        ]
    }

    static func amount(_ json: JSONValue?) throws(PaymentError) -> Money {
        guard let value = json?["value"]?.string, let unit = json?["unit"]?.string else {
            throw malformed("an amount has no 'value' or no 'unit'")
        }
        let digits = json?["digits"]?.int64.flatMap { UInt8(exactly: $0) }
        do { return try Money(value, unit: unit, decimals: digits) } catch {
            throw malformed("an amount is malformed: \(error)")
        }
    }

    static func quote(_ message: JSONValue, of reference: PaymentReference) throws(PaymentError) -> ProviderQuote {
        guard let payee = message["payee"]?.string, (1...200).contains(payee.count) else {
            throw malformed("the quote has no 'payee'")
        }
        var options: [PaymentMethodOption] = []
        for option in message["options"]?.array ?? [] {
            guard let id = option["id"]?.string, let title = option["title"]?.string, (1...200).contains(title.count)
            else { throw malformed("an option has no 'id' or no 'title'") }
            options.append(
                PaymentMethodOption(
                    id: id, title: title, amount: try amount(option["amount"]),
                    providerData: option.present("data")))
        }
        return ProviderQuote(
            reference: reference, payee: Payee(name: payee),
            amount: try message.present("amount").map { json throws(PaymentError) in try amount(json) },
            options: options, expiresAt: try date(message.present("expires")),
            report: try message.present("outcome").map { json throws(PaymentError) in
                try report(json, of: reference)
            })
    }

    private static func date(_ json: JSONValue?) throws(PaymentError) -> Date? {
        guard let json else { return nil }
        guard let seconds = json.int64, (0...4_102_444_800).contains(seconds) else {
            throw malformed("'expires' is no number of Unix seconds")
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// `{"type": "outcome", "outcome": "succeeded", …}`. Any other outcome is reported as unknown, and kept.
    static func report(_ message: JSONValue, of reference: PaymentReference) throws(PaymentError) -> ServiceReport {
        guard let word = message["outcome"]?.string else { throw malformed("the outcome has no 'outcome'") }
        let text = Printable.text(message["message"]?.string ?? "", limit: 200)
        switch word {
        case "succeeded":
            return .succeeded(
                PaymentReceipt(
                    reference: reference,
                    amount: try message.present("amount").map { json throws(PaymentError) in try amount(json) },
                    transactionID: message["transaction"]?.string))
        case "declined":
            return .declined(DeclineReason(.refused, text.isEmpty ? "the service refused the payment" : text))
        case "cancelled": return .cancelled
        case "expired": return .expired
        case "pending":
            let seconds = message["after"]?.number?.double.flatMap { (0...86_400).contains($0) ? $0 : nil }
            return .pending(retryAfter: seconds.map { .milliseconds(Int64($0 * 1000)) })
        default:
            let status = Printable.text(word, limit: 60)
            let reason = text.isEmpty ? "the external provider does not know what has become of it" : text
            return .unknown(
                UnknownOutcome(reference: reference, rawStatus: status, message: "\(reason) (its status: \(status))"))
        }
    }

    private static func malformed(_ text: String) -> PaymentError {
        PaymentError(.invalidResponse, "the external provider's answer cannot be used: \(text)", phase: .answered)
    }
}

extension StepKind {
    fileprivate var isMutation: Bool { if case .mutation = self { true } else { false } }
}

extension JSONValue {
    /// Returns the member `name`, or nil if it is absent or null. Both mean the same for an optional member.
    func present(_ name: String) -> JSONValue? {
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }
}
