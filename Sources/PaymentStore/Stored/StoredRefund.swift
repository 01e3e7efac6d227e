import PaymentCore

/// The refund that an attempt makes.
enum StoredRefund {
    static func text(_ refund: RefundRequest) throws -> String {
        try StoredObject.text([
            "payment": StoredReference.value(refund.payment), "amount": StoredMoney.value(refund.amount),
            "id": .string(refund.id),
        ])
    }

    static func read(_ text: String) throws(StoredFormDefect) -> RefundRequest {
        let object = try StoredObject(text)
        return RefundRequest(
            of: try StoredReference.read(object.members["payment"]),
            amount: try StoredMoney.read(try object.object("amount")), id: try object.text("id"))
    }
}
