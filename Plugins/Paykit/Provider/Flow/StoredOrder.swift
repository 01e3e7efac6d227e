/// The data about a payment that one of its options stores, as journals keep it.
protocol StoredOrder: Codable {
    /// The key in the option's data: an on-disk contract.
    static var place: String { get }
}

extension StoredOrder {
    init?(_ option: PaymentMethodOption) {
        guard let stored = option.providerData?[Self.place], let order = try? stored.decode(Self.self) else {
            return nil
        }
        self = order
    }

    func placed(in option: PaymentMethodOption) throws -> PaymentMethodOption {
        var data = option.providerData ?? [:]
        data[Self.place] = try JSONValue.encode(self)
        return option.with(providerData: data)
    }
}
