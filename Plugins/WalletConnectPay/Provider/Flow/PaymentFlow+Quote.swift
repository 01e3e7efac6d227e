import PaymentCore
import PaymentReview

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PaymentFlow {
    /// Gets the payment and the options of the payer's accounts.
    func quote(_ payment: PaymentReference) async throws -> PaymentQuote {
        let accounts = context.payer.accounts.map(\.text)
        guard !accounts.isEmpty else {
            throw error(.payer, "the payer has no accounts; WalletConnect Pay needs at least one CAIP-10 account")
        }
        let answer: OptionsBody
        do {
            answer = try await mapped { () throws(GatewayError) in
                try await options(of: payment.id, accounts: accounts)
            }
        } catch let error as PaymentError where error.code == .payerRefused {
            return PaymentQuote(
                reference: payment, payee: Payee(name: "an unnamed merchant"), amount: nil, options: [],
                report: .refusedPayer(error))
        }
        guard let info = answer.info else { throw error(.invalidResponse, "the service left out what is to be paid") }
        let status = StatusBody(status: info.status, isFinal: info.status.isFinal, info: answer.resultInfo)
        let isOpen = info.status == .requiresAction
        return PaymentQuote(
            reference: payment, payee: Payee(name: info.merchant.name, iconURL: info.merchant.iconUrl),
            amount: try money(info.amount), options: isOpen ? try offers(answer.options ?? [], of: payment) : [],
            expiresAt: Date(timeIntervalSince1970: Double(info.expiresAt)),
            report: isOpen ? nil : status.report(of: payment))
    }

    /// Returns the options that are consistent and allowed for such a link, and logs the others. When none is left, the
    /// payment cannot be made.
    private func offers(_ bodies: [OptionBody], of payment: PaymentReference) throws -> [PaymentMethodOption] {
        var options: [PaymentMethodOption] = []
        var refusal: PaymentError?
        for body in bodies {
            do {
                options.append(try offer(body, try checked(body, of: payment)))
            } catch let error as PaymentError {
                context.log("an option is left out: \(error.message)")
                refusal = refusal ?? error
            }
        }
        if options.isEmpty, let refusal { throw refusal }
        return options
    }

    private func checked(_ body: OptionBody, of payment: PaymentReference) throws -> CheckedOption {
        do throws(GatewayError) {
            try Self.checkIdentity(of: payment.id, paying: body.amount.unit)
            do throws(SigningError) {
                return try reviewer.check(AgreedOption(body), payer: context.payer.accounts)
            } catch { throw .dangerousCalls(error) }
        } catch {
            throw paymentError(from: error)
        }
    }

    private func offer(_ body: OptionBody, _ checked: CheckedOption) throws -> PaymentMethodOption {
        let amount = try money(body.amount)
        let title = "\(checked.symbol) on \(checked.networkName)"
        return PaymentMethodOption(
            id: body.id, title: checked.isVerified ? title : "\(title), as the service calls it", amount: amount,
            // Recorded payments in native coins were settled at another amount than quoted.
            isEstimate: amount.currency.isNativeCoin, account: checked.account, needs: OptionActions.needs(of: body),
            expiresAt: body.expiresAt.map { Date(timeIntervalSince1970: Double($0)) },
            providerData: try JSONValue.encode(OptionActions.Stored(body)))
    }

    private func money(_ amount: AmountBody) throws -> Money {
        do { return try amount.money() } catch {
            throw self.error(.invalidResponse, "the service stated an amount that is not valid: \(error)")
        }
    }
}

extension ServiceReport {
    /// Returns the report for a payer whom the service refuses.
    static func refusedPayer(_ error: PaymentError) -> ServiceReport {
        .declined(DeclineReason(.compliance, error.message))
    }
}
