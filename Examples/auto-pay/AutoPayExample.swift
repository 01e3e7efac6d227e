import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays parking and coffee by itself within ten euros a day, three of them for machines, and asks about the rest.
/// Run it with `swift run auto-pay`.
@main
struct AutoPayExample {
    static func main() async throws {
        let limits = [
            SpendingLimit(try Money(decimal: "10", currency: .eur), per: .day),
            SpendingLimit(try Money(decimal: "3", currency: .eur), per: .day, on: .payee("machine-7")),
        ]
        let journal = InMemoryJournal()
        let router = PaymentRouter(
            registry: try ProviderRegistry([WalletProvider()]), transport: NoNetwork(), journal: journal,
            autoPay: AutoPay(within: limits, timeZone: .gmt))

        // Every question is answered with no.
        let payer = Payer(chooser: { quote in
            print("    asks: pay \(quote.amount?.description ?? "something") to \(quote.payee.name)?")
            return nil
        })
        for link in [
            "purse:machine-7/1/2.50", "purse:machine-7/2/0.50", "purse:machine-7/3/0.01", "purse:parking/4/7.01",
            "purse:parking/5/7.00", "purse:parking/5/7.00", "purse:parking/6/0.01",
        ] {
            print(link)
            print("    \(try await router.pay(link, as: payer))")
        }
        print("with no question:")
        print("    \(try await router.pay("purse:parking/6/0.01", as: Payer()))")
        for record in await journal.spendings(since: SpendingDay(number: 0)) {
            print("\(record.spending.payment.id): \(record.spending.amounts[0]), \(record.state)")
        }
    }
}
