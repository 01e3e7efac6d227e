public import PaymentCore

/// The standards that this library reads. A new standard is added to ``all``.
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

/// The standards' names, for people.
extension KnownStandards {
    /// Returns the name of the texts of `standard`, such as `a Lightning invoice (BOLT 11)`; nil for a standard that is
    /// not in ``all``.
    ///
    /// - Parameter standard: A short name, one of ``PaymentStandard/ids``.
    public static func name(of standard: String) -> PaymentInstruction.Name? { names[standard] }

    private static let names: [String: PaymentInstruction.Name] = [
        "algorand": .init("an Algorand payment request (ARC-26)", opensIn: "an Algorand wallet"),
        "alipay-app": .init("an Alipay app link", opensIn: "Alipay"),
        "alipay-collect": .init("an Alipay collection code", opensIn: "Alipay"),
        "alipay-payer-code": .init("an Alipay payer's code"),
        "apple-wallet-pass": .init("an Apple Wallet pass"),
        "bezahlcode": .init("a German bank transfer (BezahlCode)", opensIn: "a banking app"),
        "bip321": .init("a Bitcoin payment request (BIP 321)", opensIn: "a Bitcoin wallet"),
        "bip321-like": .init("a coin payment request (BIP 21)", opensIn: "a wallet of that coin"),
        "bip353": .init("a Bitcoin pay-by-name address (BIP 353)", opensIn: "a Bitcoin wallet"),
        "bitcoin-address": .init("a Bitcoin address", opensIn: "a Bitcoin wallet"),
        "bolt11": .init("a Lightning invoice (BOLT 11)", opensIn: "a Lightning wallet"),
        "bolt12-invoice": .init("a Lightning invoice (BOLT 12)", opensIn: "a Lightning wallet"),
        "bolt12-invoice-request": .init("a Lightning invoice request (BOLT 12)", opensIn: "a Lightning wallet"),
        "bolt12-offer": .init("a Lightning offer (BOLT 12)", opensIn: "a Lightning wallet"),
        "caip10": .init("a blockchain account (CAIP-10)", opensIn: "a wallet of that chain"),
        "caip19": .init("a blockchain asset (CAIP-19)"),
        "caip2": .init("a blockchain (CAIP-2)"),
        "cash-app": .init("a Cash App link", opensIn: "Cash App"),
        "cashaddr": .init("a Bitcoin Cash address", opensIn: "a Bitcoin Cash wallet"),
        "cashu-request": .init("a Cashu payment request (NUT-18)", opensIn: "a Cashu wallet"),
        "cashu-token": .init("a Cashu token (ecash)", opensIn: "a Cashu wallet"),
        "cip13": .init("a Cardano payment request (CIP-13)", opensIn: "a Cardano wallet"),
        "cip134": .init("a Cardano block or transaction link (CIP-134)", opensIn: "a Cardano explorer"),
        "cip19": .init("a Cardano address", opensIn: "a Cardano wallet"),
        "cip99": .init("a Cardano token claim (CIP-99)", opensIn: "a Cardano wallet"),
        "dash-address": .init("a Dash address", opensIn: "a Dash wallet"),
        "dogecoin-address": .init("a Dogecoin address", opensIn: "a Dogecoin wallet"),
        "eip55": .init("an Ethereum address", opensIn: "a wallet of that chain"),
        "eip681": .init("an Ethereum payment request (ERC-681)", opensIn: "an Ethereum wallet"),
        "emv-cpm": .init("a payer's card code (EMV)"),
        "emv-mpm": .init("a merchant QR code (EMV)", opensIn: "a banking or payment app of that scheme"),
        "epc-qr": .init("a SEPA transfer QR code (GiroCode, EPC069-12)", opensIn: "a banking app"),
        "fi-barcode": .init("a Finnish bank transfer barcode", opensIn: "a banking app"),
        "google-wallet-pass": .init("a Google Wallet pass"),
        "hub3": .init("a Croatian bank transfer code (HUB3)", opensIn: "a banking app"),
        "iban": .init("a bank account number (IBAN)", opensIn: "a banking app"),
        "ideal-qr": .init("a QR code of iDEAL", opensIn: "a banking app"),
        "interac-etransfer": .init("an Interac e-Transfer link", opensIn: "the bank"),
        "liquid": .init("a Liquid payment request (BIP 21)", opensIn: "a Liquid wallet"),
        "litecoin-address": .init("a Litecoin address", opensIn: "a Litecoin wallet"),
        "lnurl": .init("a Lightning link (LNURL)", opensIn: "a Lightning wallet"),
        "mercadopago-alias": .init("a Mercado Pago payment link", opensIn: "Mercado Pago"),
        "mercadopago-checkout": .init("a Mercado Pago checkout page", opensIn: "a browser"),
        "mercadopago-short": .init("a Mercado Pago short link", opensIn: "Mercado Pago"),
        "mnb-qr": .init("a Hungarian bank transfer code (MNB)", opensIn: "a banking app"),
        "mobilepay-link": .init("a MobilePay link", opensIn: "MobilePay"),
        "monero": .init("a Monero payment request", opensIn: "a Monero wallet"),
        "nano": .init("a Nano payment request", opensIn: "a Nano wallet"),
        "nbs-ips": .init("a Serbian bank transfer code (NBS IPS)", opensIn: "a banking app"),
        "nbu-qr": .init("a Ukrainian bank transfer code (NBU)", opensIn: "a banking app"),
        "pagopa": .init("a payment notice of pagoPA", opensIn: "a banking app or a pagoPA counter"),
        "paybysquare": .init("a Slovak bank transfer code (PAY by square)", opensIn: "a banking app"),
        "payconiq": .init("a Payconiq code", opensIn: "Payconiq or a banking app"),
        "payment-pointer": .init("an Interledger payment pointer", opensIn: "an Interledger wallet"),
        "paypal-button": .init("a PayPal button", opensIn: "a browser"),
        "paypal-checkout": .init("a PayPal checkout page", opensIn: "a browser"),
        "paypal-invoice": .init("a PayPal invoice", opensIn: "a browser"),
        "paypal-me": .init("a PayPal.Me link", opensIn: "PayPal"),
        "paypal-payment-link": .init("a PayPal payment link", opensIn: "a browser"),
        "payto": .init("a payto link (RFC 8905)", opensIn: "a banking app or wallet"),
        "pubky": .init("a Pubky key or Paykit link", opensIn: "a Paykit wallet"),
        "revolut-me": .init("a Revolut.Me link", opensIn: "Revolut"),
        "revolut-request": .init("a Revolut payment request", opensIn: "Revolut"),
        "sbp": .init("an SBP code", opensIn: "a banking app"),
        "sep7": .init("a Stellar payment request (SEP-7)", opensIn: "a Stellar wallet"),
        "solana-pay": .init("a Solana Pay request", opensIn: "a Solana wallet"),
        "spd": .init("a Czech bank transfer code (SPAYD)", opensIn: "a banking app"),
        "square-payment-link": .init("a Square payment link", opensIn: "a browser"),
        "st00012": .init("a Russian bank transfer code (ST00012)", opensIn: "a banking app"),
        "stripe-checkout": .init("a Stripe checkout page", opensIn: "a browser"),
        "stripe-invoice": .init("a Stripe invoice", opensIn: "a browser"),
        "stripe-payment-link": .init("a Stripe payment link", opensIn: "a browser"),
        "stripe-receipt": .init("a Stripe receipt"),
        "strkey": .init("a Stellar address", opensIn: "a Stellar wallet"),
        "sui-pay": .init("a Sui payment request", opensIn: "a Sui wallet"),
        "swish-link": .init("a Swish link", opensIn: "Swish"),
        "swish-qr": .init("a Swish QR code", opensIn: "Swish"),
        "swiss-qr-bill": .init("a Swiss QR-bill", opensIn: "a banking app"),
        "tezos-address": .init("a Tezos address", opensIn: "a Tezos wallet"),
        "ton-address": .init("a TON address", opensIn: "a TON wallet"),
        "ton-link": .init("a TON transfer link", opensIn: "a TON wallet"),
        "tron-address": .init("a Tron address", opensIn: "a Tron wallet"),
        "twint-app": .init("a TWINT payment link", opensIn: "TWINT"),
        "unionpay-payer-code": .init("a UnionPay payer's code"),
        "unionpay-qr": .init("a UnionPay QR code", opensIn: "UnionPay"),
        "upi": .init("a UPI payment request", opensIn: "a UPI app"),
        "upn-qr": .init("a Slovenian bank transfer code (UPN QR)", opensIn: "a banking app"),
        "usingqr": .init("a Swedish invoice code (UsingQR)", opensIn: "a banking app"),
        "venmo": .init("a Venmo link", opensIn: "Venmo"),
        "vipps-app": .init("a Vipps app link", opensIn: "Vipps"),
        "vipps-personal": .init("a Vipps personal code", opensIn: "Vipps"),
        "vipps-token": .init("a Vipps payment code", opensIn: "Vipps"),
        "wechat-collect": .init("a WeChat Pay collection code", opensIn: "WeChat"),
        "wechat-native": .init("a WeChat Pay order code", opensIn: "WeChat"),
        "wechat-native-1": .init("a WeChat Pay product code", opensIn: "WeChat"),
        "wechat-payer-code": .init("a WeChat Pay payer's code"),
        "wise-business": .init("a Wise business link", opensIn: "Wise"),
        "wise-me": .init("a Wise link", opensIn: "Wise"),
        "wise-request": .init("a Wise payment request", opensIn: "Wise"),
        "xrp": .init("an XRP payment request", opensIn: "an XRP wallet"),
        "xrp-link": .init("an XRP Ledger link", opensIn: "an XRP wallet"),
        "zbp-2d": .init("a Polish bank transfer code (ZBP 2D)", opensIn: "a banking app"),
        "zcash-address": .init("a Zcash address", opensIn: "a Zcash wallet"),
        "zip321": .init("a Zcash payment request (ZIP 321)", opensIn: "a Zcash wallet"),
    ]
}
