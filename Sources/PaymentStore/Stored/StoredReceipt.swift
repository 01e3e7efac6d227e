import PaymentCore

/// The proof of a payment.
enum StoredReceipt {
    static func value(_ receipt: PaymentReceipt) -> JSONValue {
        var value: JSONValue = ["reference": StoredReference.value(receipt.reference)]
        value["amount"] = receipt.amount.map(StoredMoney.value)
        value["transaction"] = receipt.transactionID.map { .string($0) }
        value["decision"] = receipt.decision.map { .string($0) }
        value["unproven"] = receipt.unproven.map { .string($0) }
        if receipt.isEarlier { value["earlier"] = true }
        return value
    }

    static func read(_ object: StoredObject) throws(StoredFormDefect) -> PaymentReceipt {
        var amount: Money?
        if let money = try object.optionalObject("amount") { amount = try StoredMoney.read(money) }
        return PaymentReceipt(
            reference: try StoredReference.read(object.members["reference"]), amount: amount,
            transactionID: try object.optionalText("transaction"), decision: try object.optionalText("decision"),
            unproven: try object.optionalText("unproven"),
            isEarlier: object.members["earlier"] == nil ? false : try object.flag("earlier"))
    }
}
