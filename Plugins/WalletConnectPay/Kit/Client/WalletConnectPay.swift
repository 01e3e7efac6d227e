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

/// The vendor's entry point for wallets that do not use WalletKit.
///
/// ```swift
/// import WalletConnectPayKit
///
/// WalletConnectPay.configure(appId: "…", logging: true)
/// let response = try await WalletConnectPay.instance.getPaymentOptions(paymentLink: link, accounts: accounts)
/// ```
///
/// This is the vendor's design, a client for the whole process. Servers and tests create their own ``PayClient``.
/// Unlike the vendor's: nothing here ends the process, and a later call of `configure` takes effect.
public enum WalletConnectPay {
    /// Sets up ``instance``, replacing an earlier one. Payments in flight keep theirs.
    ///
    /// - Parameters:
    ///   - apiKey: a WalletConnect Pay API key.
    ///   - appId: a WalletConnect project id, recommended for wallets. It takes precedence over an API key.
    ///   - baseUrl: the service's address.
    ///   - logging: true to log to standard error; never links, keys, signatures or personal data.
    public static func configure(
        apiKey: String? = nil, appId: String? = nil, baseUrl: String = GatewayConfiguration.productionURL,
        logging: Bool = false
    ) {
        configure(
            apiKey: apiKey, appId: appId, baseUrl: baseUrl, logging: logging, transport: StandardTransport())
    }

    /// Sets up ``instance`` as ``configure(apiKey:appId:baseUrl:logging:)`` does, with another transport, which is not
    /// among the vendor's parameters.
    public static func configure(
        apiKey: String? = nil, appId: String? = nil, baseUrl: String = GatewayConfiguration.productionURL,
        logging: Bool = false, transport: any HTTPTransport
    ) {
        let client = makeClient(
            apiKey: apiKey, appId: appId, baseUrl: baseUrl, log: logging ? .standardError : .silent,
            transport: transport, withoutCredentials: .noCredentials)
        VendorState.shared.withLock { $0.payClient = client }
    }

    /// The client that ``configure(apiKey:appId:baseUrl:logging:)`` set up. Before that call, or if its
    /// parameters do not suffice, a client whose calls throw an error that names the missing part.
    public static var instance: PayClient {
        VendorState.shared.withLock { $0.payClient } ?? PayClient(unusable: .noCall)
    }

    /// Returns true if `string` may be a payment link, by the vendor's quick test. Needs no configuration. It accepts
    /// look-alikes: see ``PaymentLinkDetector``.
    public static func isPaymentLink(_ string: String) -> Bool { PaymentLinkDetector.isPaymentLink(string) }

    static func makeClient(
        apiKey: String?, appId: String?, baseUrl: String, log: PayLog, transport: any HTTPTransport,
        withoutCredentials problem: ConfigError
    ) -> PayClient {
        let credentials: GatewayConfiguration.Credentials
        if let appId, !appId.isEmpty {
            credentials = .app(id: Redacted(appId), clientID: SystemRandomSource().uuid())
        } else if let apiKey, !apiKey.isEmpty {
            credentials = .apiKey(Redacted(apiKey))
        } else {
            return PayClient(unusable: problem, log: log)
        }
        let configuration: GatewayConfiguration
        do { configuration = try GatewayConfiguration(credentials: credentials, baseURL: baseUrl) } catch {
            return PayClient(unusable: .noBaseURL(error), log: log)
        }
        return PayClient(configuration: configuration, transport: transport, log: log)
    }
}

// MARK: - WalletKit

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

// MARK: - Common parts

/// The settings of the vendor's static functions for the whole process: the only state of that kind in this package,
/// and only for code written after the vendor's guides.
struct VendorState: Sendable {
    static let shared = Mutex(VendorState())

    var payClient: PayClient?
    var walletKit: WalletKitClient?
    var projectID: String?
}

/// The vendor's quick test for payment links: a search for six fragments, without parsing.
///
/// It accepts look-alikes (`https://apay.example/x`); use it to decide if a link is worth *trying*, never as proof of
/// trust. Trust comes from routing. Source: reown-swift `PaymentLinkDetector`.
public enum PaymentLinkDetector {
    private static let fragments = ["pay.", "pay=", "pay_", "pay%2e", "pay%3d", "pay%5f"].map { Array($0.utf8) }

    /// Returns true if `text` may be a WalletConnect Pay link, in any letter case.
    public static func isPaymentLink(_ text: String) -> Bool {
        let bytes = text.utf8.map(\.lowercasedASCII)
        return bytes.indices.contains { start in
            bytes[start] == UInt8(ascii: "p") && fragments.contains { bytes[start...].starts(with: $0) }
        }
    }
}
