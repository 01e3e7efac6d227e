/// One way to pay: an account, a chain and a token.
///
/// The core has a type of this name too. Code that imports both modules writes ``PayOption`` for this one and
/// `PaymentCore.PaymentMethodOption` for the other.
public struct PaymentOption: Sendable, Hashable, Identifiable {
    /// The option's id.
    public var id: String
    /// The account that would pay, CAIP-10, spelt as it was passed to the service.
    public var account: String
    /// The amount that leaves the account.
    public var amount: PayAmount
    /// The expected time until settlement, in seconds; 0 when the service omits it.
    public var etaS: Int64
    /// The expiry of the price: Unix seconds; nil for prices that do not change.
    public var expiresAt: Int64?
    /// The wallet calls that are already known: a preview. The complete list comes from
    /// ``PayClient/getRequiredPaymentActions(paymentId:optionId:)``. Empty if calls have to be fetched, and if the
    /// known ones would do anything other than pay this option.
    public var actions: [Action]
    /// The data about the payer that this option requires; nil when none.
    public var collectData: CollectDataAction?

    /// Creates an option.
    public init(
        id: String, account: String, amount: PayAmount, etaS: Int64, expiresAt: Int64? = nil, actions: [Action],
        collectData: CollectDataAction? = nil
    ) {
        self.id = id
        self.account = account
        self.amount = amount
        self.etaS = etaS
        self.expiresAt = expiresAt
        self.actions = actions
        self.collectData = collectData
    }
}

/// ``PaymentOption`` under a name that is unambiguous beside the core's type.
public typealias PayOption = PaymentOption
