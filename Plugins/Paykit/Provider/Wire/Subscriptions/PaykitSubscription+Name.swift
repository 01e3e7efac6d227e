/// The name of a subscription in links and questions over channels (Protocol 6.3): it shows the payee what is paid.
extension PaykitSubscription {
    static let nameInMetadata = "subscription_id"
    private static let parameter = "subscription"

    /// Returns the link that pays a user. `name` is the name of the subscription that is paid; nil for none. A payee
    /// over a private channel reads it.
    package static func link(paying user: PubkyKey, for name: String?) -> String {
        "paykit:\(user.text)" + (name.map { "?\(parameter)=\(PercentCoding.encode($0))" } ?? "")
    }

    /// Returns the name in a link; nil where there is none, or several.
    static func name(in link: PaymentLink) -> String? {
        let values = link.queryItems.filter { $0.name == Substring(parameter) }.map(\.value)
        guard values.count == 1, let name = PercentCoding.decode(values[0], plusIsSpace: true), isName(name) else {
            return nil
        }
        return name
    }

    static func isName(_ text: String) -> Bool { 1...64 ~= text.utf8.count }
}
