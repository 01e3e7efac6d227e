import Foundation
package import PaymentCore
import Synchronization

/// The provider of ``ShopService``: small, and with every capability of providers.
package struct ShopProvider: PaymentProvider {
    package static let id: ProviderID = "shop"
    package static let linkHost = "pay.shop.example"
    package static let returnURL = "shop-app://paid"

    let habits: ShopHabits
    /// The clock for the age of notifications.
    let clock: any PaymentClock
    let memory = Memory()

    /// The notifications that were read: only a mistake uses them.
    final class Memory: Sendable {
        private let bodies = Mutex<Set<[UInt8]>>([])
        func isNew(_ body: [UInt8]) -> Bool { bodies.withLock { $0.insert(body).inserted } }
    }

    package init(_ habits: ShopHabits = ShopHabits(), clock: any PaymentClock) {
        self.habits = habits
        self.clock = clock
    }

    package var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: Self.id, name: "Shop", patterns: [.host(Self.linkHost), .scheme("shop-app")],
            outboundHosts: [ShopService.host], replayWindow: .seconds(600))
    }

    package func recognize(_ link: PaymentLink) -> LinkMatch? {
        if link.scheme == "shop-app" {
            let isNamed = !habits.mistakes.contains(.mixesReturns)
            return LinkMatch(isNamed ? Self.name(in: link).map { .payment($0) } : nil, role: .callback)
        }
        let id = String(link.path.dropFirst())
        guard !id.isEmpty, id.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else { return nil }
        return LinkMatch(.payment(habits.foldsSpellings ? id.lowercased() : id))
    }

    /// The payment that a return names.
    static func name(in callback: PaymentLink) -> String? { callback.queryItems.values("id").first.map(String.init) }

    package func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let state = try await ask(request.reference, context)
        let amount = try state.money()
        var options = [PaymentMethodOption(id: "card", title: "Card", amount: amount)]
        if habits.wallet != nil {
            options.append(
                PaymentMethodOption(
                    id: "coins", title: "Coins", amount: amount,
                    account: context.payer.accounts.first, needs: [.signing(method: "eth_sendTransaction")]))
        }
        let isOpen = state.status == "open"
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "Shop"), amount: amount, options: isOpen ? options : [],
            expiresAt: Date(timeIntervalSince1970: Double(state.expires) ?? 0),
            report: isOpen ? nil : state.outcome(request.reference))
    }

    package func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        var coins: String?
        if attempt.option.id == "coins" { coins = try await send(attempt, context) }
        var body: [String: JSONValue] = [
            "key": .string(attempt.idempotencyKey), "amount": .string(String(attempt.option.amount.minorUnits)),
        ]
        if let coins { body["coins"] = .string(coins) }
        let request = HTTPRequest(
            .post, try url(attempt.reference, ["charge"]), body: JSONValue.object(body).serialized(), replay: .safe)
        var state: State = try await context.step("charge", .mutation(replay: .sameKey)) {
            try await exchange(attempt.reference, request, isMutation: true, context)
        }
        try state.check(attempt.reference, phase: .maybeSent)
        for _ in 0..<20 where !state.outcome(attempt.reference).isFinal {
            try await context.clock.sleep(for: .seconds(1))
            state = try await ask(attempt.reference, context)
        }
        return state.outcome(attempt.reference)
    }

    /// The payer's wallet sends the coins; the service does not see that.
    private func send(_ attempt: PaymentAttempt, _ context: ProviderContext) async throws -> String {
        guard let signer = context.payer.signer, let account = attempt.option.account, let kind = habits.wallet else {
            throw PaymentError(.payer, "the payer has no wallet", provider: Self.id)
        }
        let call: JSONValue = [
            "from": .string(String(account.address)), "to": "0x00000000000000000000000000000000000000aa",
            "value": .string("0x" + String(attempt.option.amount.minorUnits, radix: 16)),
        ]
        return try await context.step("send coins", kind) {
            do {
                return try await signer.sign(
                    SigningRequest(account: account, method: "eth_sendTransaction", parameters: [call]))
            } catch let error as PaymentError {
                throw error
            } catch {
                throw PaymentError(.payer, "the wallet failed", provider: Self.id, phase: .maybeSent)
            }
        }
    }

    package func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        do { return try await ask(payment, context).outcome(payment) } catch let error as PaymentError
            where habits.trustsRefusedQuestions && error.phase == .answered
        {
            return error.vendorCode == "404"
                ? .expired : .declined(DeclineReason(.refused, "the service refused the question"))
        }
    }

    // MARK: Service

    struct State: Codable {
        let id: String
        let status: String
        let amount: String
        let expires: String

        func money() throws -> Money { try Money(minorUnitText: amount, currency: try Currency(unit: "iso4217/EUR")) }

        func check(_ payment: PaymentReference, phase: PaymentError.Phase) throws(PaymentError) {
            // The service takes an id in any case.
            guard id.lowercased() != payment.id.lowercased() else { return }
            throw PaymentError(
                .invalidResponse, "the service answered about another payment", provider: ShopProvider.id, phase: phase)
        }

        func outcome(_ payment: PaymentReference) -> ServiceReport {
            switch status {
            case "paid": .succeeded(PaymentReceipt(reference: payment, amount: try? money(), transactionID: "tx-\(id)"))
            case "failed": .declined(DeclineReason(.refused, "the shop gave the money back"))
            case "cancelled": .cancelled
            case "expired": .expired
            case "open", "processing": .pending(retryAfter: .seconds(1))
            default: .unknown(UnknownOutcome(reference: payment, message: "the service reports a state unknown here"))
            }
        }
    }

    func ask(_ payment: PaymentReference, _ context: ProviderContext) async throws -> State {
        let state: State = try await exchange(
            payment, HTTPRequest(.get, try url(payment)), isMutation: false, context)
        try state.check(payment, phase: .answered)
        return state
    }

    func exchange<Answer: Codable>(
        _ payment: PaymentReference, _ request: HTTPRequest, isMutation: Bool, _ context: ProviderContext
    ) async throws -> Answer {
        let response: HTTPResponse
        do { response = try await context.http.send(request) } catch {
            throw PaymentError(error, provider: Self.id, isMutation: isMutation)
        }
        guard response.status == 200 else {
            // Only these are judgements on the charge itself; others may be about another copy of the request.
            let isRejection = [402, 404, 410, 422].contains(response.status)
            let isOpen = isMutation && !isRejection && !(habits.trustsRefusedCopies && response.status < 500)
            let refusal: PaymentError.Code = response.status == 404 ? .notFound : .requestRefused
            throw PaymentError(
                isRejection ? refusal : .serviceFailure, "the service answered with HTTP \(response.status)",
                provider: Self.id, phase: isOpen ? .maybeSent : .answered, retry: .later,
                vendorCode: String(response.status))
        }
        guard let answer = try? JSONValue(parsing: response.body).decode(Answer.self) else {
            throw PaymentError(
                .invalidResponse, "the service's answer cannot be understood", provider: Self.id,
                phase: isMutation ? .maybeSent : .answered)
        }
        return answer
    }

    func url(_ payment: PaymentReference, _ rest: [String] = []) throws -> HTTPURL {
        try HTTPURL("https://\(ShopService.host)").appending(["payments", payment.id] + rest)
    }
}
