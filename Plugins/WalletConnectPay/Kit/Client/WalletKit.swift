public import PaymentCore
import PaymentCrypto
public import PaymentTransport
import Synchronization
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The vendor's entry point for wallets that use WalletKit, for payments only: sessions and pairing are not included.
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
    ///   - metadata: the wallet's description of itself.
    ///   - crypto: the wallet's cryptography; payments do not use it.
    ///   - payLogging: true to log payments to standard error.
    public static func configure(metadata: AppMetadata, crypto: any CryptoProvider, payLogging: Bool = false) {
        configure(
            metadata: metadata, crypto: crypto, payLogging: payLogging, baseUrl: GatewayConfiguration.productionURL)
    }

    /// Sets up as ``configure(metadata:crypto:payLogging:)`` does, with a transport and the address of a sandbox, which
    /// are not among the vendor's parameters.
    public static func configure(
        metadata: AppMetadata, crypto: any CryptoProvider, payLogging: Bool = false,
        transport: any HTTPTransport = StandardTransport(), baseUrl: String
    ) {
        let client = WalletConnectPay.makeClient(
            apiKey: nil, appId: Networking.projectId, baseUrl: baseUrl, log: payLogging ? .standardError : .silent,
            transport: transport, withoutCredentials: .noProjectID)
        VendorState.shared.withLock {
            $0.payClient = client
            $0.walletKit = WalletKitClient(metadata: metadata, crypto: crypto, pay: client)
        }
    }

    /// The client that ``configure(metadata:crypto:payLogging:)`` set up. Before that call, a client
    /// whose payment calls throw an error that says so.
    public static var instance: WalletKitClient {
        VendorState.shared.withLock { $0.walletKit }
            ?? WalletKitClient(metadata: nil, crypto: nil, pay: PayClient(unusable: .noCall))
    }

    /// Returns true if `string` may be a payment link. Needs no configuration; see ``PaymentLinkDetector``.
    public static func isPaymentLink(_ string: String) -> Bool { PaymentLinkDetector.isPaymentLink(string) }
}

/// The vendor's WalletKit client, for payments only.
public final class WalletKitClient: Sendable {
    /// The wallet's description of itself, as configured.
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

/// The vendor's name for the payment calls behind `WalletKit.instance.Pay`: those of ``PayClient``.
public typealias PayNamespace = PayClient

/// A wallet's description of itself.
public struct AppMetadata: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// One sentence about the wallet.
    public var description: String
    /// The home page.
    public var url: String
    /// The addresses of its icons.
    public var icons: [String]

    /// Creates a value.
    public init(name: String, description: String, url: String, icons: [String]) {
        self.name = name
        self.description = description
        self.url = url
        self.icons = icons
    }
}

/// The vendor's WalletKit requirements of a wallet's cryptography, as far as needed here. Payments do not use it.
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

/// The vendor libraries' store of the project id.
public enum Networking {
    /// Sets the project id; ``WalletKit`` uses it as the app id of payments.
    ///
    /// - Parameters:
    ///   - groupIdentifier: the vendor's parameter for sharing sessions between an application's parts; not used here.
    ///   - projectId: the WalletConnect project id.
    public static func configure(groupIdentifier: String? = nil, projectId: String) {
        VendorState.shared.withLock { $0.projectID = projectId }
    }

    /// The project id; nil until configured. (The vendor's ends the process instead.)
    public static var projectId: String? { VendorState.shared.withLock { $0.projectID } }
}
