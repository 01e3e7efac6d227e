/// The standards that this library reads: the one list to add to.
public enum KnownStandards {
    /// All of them. Their order decides nothing but which of several defects of one text is reported.
    public static let all: [any PaymentStandard.Type] = [
        // Bitcoin
        BIP321.self, BitcoinAddress.self,
        // Banking
        EPCCode.self, IBAN.self, Payto.self,
        // EMVCo
        MerchantCode.self,
    ]
}
