import PaymentCore
import PaymentRouting
import PaymentStandards

/// The `--dns` option: the resolver that looks up payees' names.
enum NamesOption {
    static let option = CommandSyntax.Option(
        name: "dns", value: "url",
        help:
            "The DNS resolver over HTTPS that looks up names such as ₿user@domain. It sees the names; their links are proved by DNSSEC, whatever it answers.",
        variable: "PAYROUTE_DNS", form: "the address of a resolver, such as https://dns.example/dns-query")

    /// Returns the address of the resolver that a line names; nil where it names none.
    static func read(_ arguments: ParsedArguments) throws(UsageError) -> HTTPURL? {
        try arguments.value(option.name) { try? HTTPURL(service: $0) }
    }

    /// The remedy where a name is not paid because no resolver looks it up; empty elsewhere.
    static func remedy(for decision: RouteDecision) -> String {
        guard case .recognized(let instruction) = decision, instruction.standard == BIP353.id else { return "" }
        return "; give '--dns <url>', a DNS resolver over HTTPS that looks the name up (or PAYROUTE_DNS)"
    }
}
