public import CitconProvider

// What the vendor's client shares with the provider, by the names of this module.

/// Which of the vendor's environments is meant (guide, `setMode`).
public typealias CPayENVMode = CitconEndpoint.Mode
/// Where the service is.
public typealias CPayEndpoint = CitconEndpoint
/// Why an address cannot be that of the service.
public typealias CPayEndpointError = CitconEndpoint.Defect
/// Where an application can be reached when a payer comes back.
public typealias CPayReturnPlaces = CitconConfiguration.ReturnPlaces
/// Which handler takes a payment, by the gateway id that the service answers.
public typealias CPayGateways = CitconConfiguration.Gateways
/// The state of a transaction.
public typealias CPayStatus = CitconStatus
/// The URLs that start wallets with a payment.
public typealias CPayWalletURL = CitconWalletURL
/// The values that start a WeChat payment.
public typealias CPayWeChatPayload = CitconWalletURL.WeChatPayload
/// What Venmo's app is started with.
public typealias CPayVenmoSwitch = CitconWalletURL.VenmoSwitch
