public import PaymentCore
import PaymentCrypto
public import PaymentTransport
import Synchronization
public import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The vendor's entry point for wallets that use WalletKit, as far as payments go: sessions and pairing are not here.
///
/// ```swift
/// import WalletConnectPayKit
///
/// Networking.configure(projectId: "…")
/// WalletKit.configure(metadata: metadata, crypto: DefaultCryptoProvider(), payLogging: true)
/// let options = try await WalletKit.instance.Pay.getPaymentOptions(paymentLink: link, accounts: accounts)
/// ```
public enum WalletKit {
    /// Sets up ``instance`` and ``WalletConnectPay/instance`` with the project id of ``Networking``, replacing earlier
    /// ones.
    ///
    /// - Parameters:
    ///   - metadata: the wallet, as it introduces itself.
    ///   - crypto: the wallet's cryptography; payments do not use it.
    ///   - payLogging: whether payments write what happens to standard error.
    ///   - transport: as in ``WalletConnectPay/configure(apiKey:appId:baseUrl:logging:transport:)``.
    ///   - baseUrl: the payment service's address, for sandboxes.
    public static func configure(
        metadata: AppMetadata, crypto: any CryptoProvider, payLogging: Bool = false,
        transport: any HTTPTransport = StandardTransport(), baseUrl: String = GatewayConfiguration.productionURL
    ) {
        let client = WalletConnectPay.makeClient(
            apiKey: nil, appId: Networking.projectId, baseUrl: baseUrl, log: payLogging ? .standardError : .silent,
            transport: transport, withoutCredentials: .noProjectID)
        VendorState.shared.withLock {
            $0.payClient = client
            $0.walletKit = WalletKitClient(metadata: metadata, crypto: crypto, pay: client)
        }
    }

    /// What ``configure(metadata:crypto:payLogging:transport:baseUrl:)`` set up. Before that, one whose payment calls
    /// throw an error that says so.
    public static var instance: WalletKitClient {
        VendorState.shared.withLock { $0.walletKit }
            ?? WalletKitClient(metadata: nil, crypto: nil, pay: PayClient(unusable: .noCall))
    }

    /// Returns whether `string` may be a payment link. Needs no configuration; see ``PaymentLinkDetector``.
    public static func isPaymentLink(_ string: String) -> Bool { PaymentLinkDetector.isPaymentLink(string) }
}

/// The vendor's WalletKit client, as far as payments go.
public final class WalletKitClient: Sendable {
    /// The wallet, as configured.
    public let metadata: AppMetadata?
    /// The wallet's cryptography, as configured.
    public let crypto: (any CryptoProvider)?

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The payment calls. The vendor writes it with a capital letter.
    public let Pay: PayNamespace

    init(metadata: AppMetadata?, crypto: (any CryptoProvider)?, pay: PayNamespace) {
        self.metadata = metadata
        self.crypto = crypto
        Pay = pay
    }
}

/// The vendor's name for the payment calls behind `WalletKit.instance.Pay`: they are those of ``PayClient``.
public typealias PayNamespace = PayClient

/// How a wallet introduces itself.
public struct AppMetadata: Sendable, Hashable, Codable {
    /// Its name.
    public var name: String
    /// One sentence about it.
    public var description: String
    /// Its home page.
    public var url: String
    /// Its pictures.
    public var icons: [String]

    /// Creates a value.
    public init(name: String, description: String, url: String, icons: [String]) {
        self.name = name
        self.description = description
        self.url = url
        self.icons = icons
    }
}

/// What the vendor's WalletKit asks of a wallet's cryptography, as far as it is needed here. Payments do not use it.
public protocol CryptoProvider: Sendable {
    /// Returns the Keccak-256 hash of `data`.
    func keccak256(_ data: Data) -> Data
}

/// A provider that needs no other library.
public struct DefaultCryptoProvider: CryptoProvider {
    /// Creates a provider.
    public init() {}

    /// Returns the Keccak-256 hash of `data`.
    public func keccak256(_ data: Data) -> Data { Data(Keccak256.hash(data)) }
}

/// Where the vendor's libraries keep the project id.
public enum Networking {
    /// Sets the project id; ``WalletKit`` uses it as the app id of payments.
    ///
    /// - Parameters:
    ///   - groupIdentifier: the vendor's parameter for sharing sessions between an application's parts; not used here.
    ///   - projectId: the WalletConnect project id.
    public static func configure(groupIdentifier: String? = nil, projectId: String) {
        VendorState.shared.withLock { $0.projectID = projectId }
    }

    /// The project id; nil until configured. (The vendor's ends the process then.)
    public static var projectId: String? { VendorState.shared.withLock { $0.projectID } }
}
