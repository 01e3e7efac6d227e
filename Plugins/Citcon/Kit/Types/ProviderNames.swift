public import CitconProvider

// Types that the vendor's client shares with the provider, by the names of this module.

/// The vendor's environment (guide, `setMode`).
public typealias CPayENVMode = CitconEndpoint.Mode
/// The address of the service.
public typealias CPayEndpoint = CitconEndpoint
/// The reason why an address cannot be that of the service.
public typealias CPayEndpointError = CitconEndpoint.Defect
/// The application's return addresses.
public typealias CPayReturnPlaces = CitconConfiguration.ReturnPlaces
/// The handler of each gateway id that the service answers.
public typealias CPayGateways = CitconConfiguration.Gateways
/// The state of a transaction.
public typealias CPayStatus = CitconStatus
/// The URLs that start wallets with a payment.
public typealias CPayWalletURL = CitconWalletURL
/// The values that start a WeChat payment.
public typealias CPayWeChatPayload = CitconWalletURL.WeChatPayload
/// The values that start Venmo's app.
public typealias CPayVenmoSwitch = CitconWalletURL.VenmoSwitch
