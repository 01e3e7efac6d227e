import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The option that an attempt pays.
enum StoredOption {
    static func text(_ option: PaymentMethodOption) throws -> String {
        try StoredObject.text([
            "id": .string(option.id), "title": .string(option.title), "amount": StoredMoney.value(option.amount),
            "estimate": .bool(option.isEstimate), "account": option.account.map { .string($0.text) },
            "needs": .array(option.needs.map(StoredNeed.value)), "unmet": .array(option.unmet.map(StoredNeed.value)),
            "expires": try option.expiresAt.map { try JSONValue.encode($0.timeIntervalSinceReferenceDate) },
            "data": option.providerData,
        ])
    }

    static func read(_ text: String) throws(StoredFormDefect) -> PaymentMethodOption {
        let object = try StoredObject(text)
        var account: AccountID?
        if let text = try object.optionalText("account") {
            do { account = try AccountID(text) } catch { throw StoredFormDefect() }
        }
        var needs: [PayerNeed] = []
        for need in try object.objects("needs") { needs.append(try StoredNeed.read(need)) }
        var option = PaymentMethodOption(
            id: try object.text("id"), title: try object.text("title"),
            amount: try StoredMoney.read(try object.object("amount")), isEstimate: try object.flag("estimate"),
            account: account, needs: needs,
            expiresAt: try object.optionalNumber("expires").map(Date.init(timeIntervalSinceReferenceDate:)),
            providerData: object.members["data"])
        for need in try object.objects("unmet") { option.unmet.append(try StoredNeed.read(need)) }
        return option
    }
}
