package import PaymentCore

extension SigningReviewer {
    /// Returns `call` with the type of its domain, where its typed data lacks it.
    ///
    /// Wallets differ over typed data without it: some derive the type from the domain's members, which is what is
    /// reviewed, others hash a domain without members. With it all of them sign one digest. Calls of other kinds are
    /// returned as they are.
    package static func completed(_ call: JSONValue) -> JSONValue {
        guard call["method"]?.string == "eth_signTypedData_v4", var params = call["params"]?.array, params.count == 2
        else { return call }
        let text = params[1].string
        guard var data = text.map({ try? JSONValue(parsing: $0) }) ?? params[1],
            let types = data["types"]?.object, types["EIP712Domain"] == nil,
            let schema = data["primaryType"]?.string.flatMap(MessageSchema.init(rawValue:))
        else { return call }
        let fields = schema.domainFields.map { field -> JSONValue in
            ["name": .string(field.name), "type": .string(field.type)]
        }
        data["types"]?["EIP712Domain"] = .array(fields)
        params[1] = text == nil ? data : .string(data.text)
        var call = call
        call["params"] = .array(params)
        return call
    }
}
