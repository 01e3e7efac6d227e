// One import provides everything that the vendor's guide uses, Foundation included, as the vendor's own import does.
@_exported public import CitconProvider
@_exported public import Foundation
import PaymentTransport

extension CPayManager {
    private static let standardTransport = StandardTransport()

    /// Returns the manager, with the guide's signature, over `StandardTransport`.
    public static func sharedInstance() -> CPayManager { sharedInstance(transport: standardTransport) }

    /// Returns ``sharedInstance()``, under its other name in the vendor's SDK.
    public static func sharedInst() -> CPayManager { sharedInstance() }
}

// Types that the vendor's client shares with the provider, by the names of this module.

/// The vendor's environment (guide, `setMode`).
public typealias CPayENVMode = CitconEndpoint.Mode
/// The address of the service.
public typealias CPayEndpoint = CitconEndpoint
/// Why an address cannot be that of the service.
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
