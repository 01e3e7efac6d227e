import PaymentCore
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
    /// The attempt's key, where there is an attempt.
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
        default: throw fault("its step is neither a 'query' nor a 'mutation' with 'replay': 'never' or 'sameKey'")
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

    /// Does `work`; its failure leaves the payment open where money may have moved already.
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
        // Programs end like this where a service's answer is not what they expect.
        var isEnd = false
        if case .ended = failure { isEnd = true }
        return PaymentError(
            isEnd ? .invalidResponse : .providerFault, "the external provider \(failure.words)",
            provider: manifest.descriptor.id,
            phase: money.hasMoved ? .maybeSent : .beforeSend, retry: .later)
    }
}

extension StepKind {
    fileprivate var isMutation: Bool { if case .mutation = self { true } else { false } }
}
