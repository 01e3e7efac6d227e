/// The standards that this library reads: the one list to add to.
public enum KnownStandards {
    /// All standards. Their order only decides which of several defects of one text is reported.
    public static let all: [any PaymentStandard.Type] = [
        // Bitcoin
        BIP321.self, BitcoinAddress.self,
        // Lightning
        BIP353.self, Bolt11.self, Bolt12.self, LNURL.self,
        // Ethereum and names for all chains
        CAIP.self, EIP681.self, ERC55.self,
        // Other chains
        Algorand.self, BareCoinAddress.self, BitcoinCash.self, Cardano.self, CoinLink.self, LiquidLink.self,
        Monero.self,
        Nano.self, PaymentPointer.self, SEP7.self, SolanaPay.self, StellarKey.self, SuiPay.self, TON.self, XRP.self,
        ZIP321.self,
        // Ecash
        CashuRequest.self, CashuToken.self,
        // Banking
        BezahlCode.self, CroatianBill.self, EPCCode.self, FinnishBarcode.self, HungarianCode.self, IBAN.self,
        ItalianNotice.self, PayBySquare.self, Payto.self, PolishCode.self, RussianCode.self, SerbianCode.self,
        ShortPaymentDescriptor.self, SlovenianBill.self, SwedishInvoice.self, SwissBill.self, UkrainianCode.self,
        // EMVCo
        ConsumerCode.self, MerchantCode.self,
        // Hosted
        AlipayLink.self, BankPageLink.self, CashAppLink.self, MercadoPagoLink.self, PayconiqLink.self, PayPalLink.self,
        PayerCode.self, RevolutLink.self, SBPLink.self, SquareLink.self, StripeLink.self, TwintLink.self,
        UnionPayLink.self,
        VenmoLink.self, VippsLink.self, WalletPass.self, WeChatPayLink.self, WiseLink.self,
        // Phone
        SwishCode.self, SwishLink.self, UPILink.self,
        // Pubky
        PubkyText.self,
    ]
}
