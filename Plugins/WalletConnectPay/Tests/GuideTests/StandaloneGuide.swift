// swift-format-ignore-file
// The code of the vendor's guide "WalletConnect Pay SDK - iOS Integration Guide", as printed: only the import
// differs, and what the comments "reader's own" mark. It need not run; it must compile.

import WalletConnectPayKit

#if canImport(UIKit)
    import UIKit
#endif

/// The guide's blocks, in its order. Left out: the two manifests, and the first lines of the two configurations
/// (`didFinishLaunchingWithOptions...` is not Swift). A comment like `Standalone 4` says which of the guide's blocks
/// follows.
enum StandaloneGuide {
    // MARK: Configuration

    static func configureWalletKit() {
        // Standalone 3
        // Configure WalletKit - Pay is automatically configured
        WalletKit.configure(
            metadata: AppMetadata(
                name: "My Wallet",
                description: "A crypto wallet",
                url: "https://mywallet.com",
                icons: ["https://mywallet.com/icon.png"]
            ),
            crypto: DefaultCryptoProvider(),
            payLogging: true  // Enable Pay debug logging
        )
    }

    static func configureStandalone() {
        // Standalone 6
        // Option 1: With appId (recommended for wallets)
        WalletConnectPay.configure(
            appId: "your-walletconnect-project-id",
            logging: true
        )

        // Option 2: With API key
        WalletConnectPay.configure(
            apiKey: "your-pay-api-key"
        )
    }

    // MARK: Detecting payment links

    static func detect(_ scannedString: String) {
        // Standalone 4
        // Static method - can be called before configure()
        if WalletKit.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }

        // Or via the instance
        if WalletKit.instance.Pay.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }

        // Standalone 7
        // Static method - works before configure()
        if WalletKit.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }

        // Instance method - after configure()
        if WalletKit.instance.Pay.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }
    }

    struct OwnDetection {
        // Standalone 8
        func isPaymentLink(_ string: String) -> Bool {
            let lower = string.lowercased()
            return lower.contains("pay.") ||
                   lower.contains("pay=") ||
                   lower.contains("pay_")
        }
    }

    // MARK: Payment flow (WalletKit)

    static func walletKitFlow(paymentLink: String) async throws {
        let selectedOption: PaymentOption
        // Standalone 5
        // 1. Get payment options
        let options = try await WalletKit.instance.Pay.getPaymentOptions(
            paymentLink: paymentLink,
            accounts: ["eip155:1:\(address)", "eip155:137:\(address)"]
        )
        selectedOption = options.options[0]  // The reader's own.

        // 2. Get required actions for selected option
        let actions = try await WalletKit.instance.Pay.getRequiredPaymentActions(
            paymentId: options.paymentId,
            optionId: selectedOption.id
        )

        // 3. Sign each action and collect signatures
        var signatures: [String] = []
        for action in actions {
            let signature = try await sign(action.walletRpc)
            signatures.append(signature)
        }

        // 4. Confirm payment
        let result = try await WalletKit.instance.Pay.confirmPayment(
            paymentId: options.paymentId,
            optionId: selectedOption.id,
            signatures: signatures
        )
        _ = result  // The reader's own.
    }

    // MARK: Payment flow, step by step

    static func stepByStep() async throws {
        // Standalone 9
        let paymentLink = "https://pay.walletconnect.com/?pid=pay_abc123..."

        // Provide all user's EVM accounts in CAIP-10 format
        let accounts = [
            "eip155:1:\(walletAddress)",      // Ethereum Mainnet
            "eip155:137:\(walletAddress)",    // Polygon
            "eip155:8453:\(walletAddress)",   // Base
            "eip155:42161:\(walletAddress)"   // Arbitrum
        ]

        do {
            let response = try await WalletConnectPay.instance.getPaymentOptions(
                paymentLink: paymentLink,
                accounts: accounts
            )

            // Display merchant info
            if let info = response.info {
                print("Merchant: \(info.merchant.name)")
                print("Amount: \(info.amount.display.assetSymbol) \(info.amount.value)")
            }

            // Show available payment options to user
            for option in response.options {
                print("Pay with \(option.amount.display.assetSymbol) on \(option.amount.display.networkName ?? "Unknown")")
            }

            // Check if user data collection is required (travel rule)
            if let collectData = response.collectData {
                // Show UI to collect required user information
                for field in collectData.fields {
                    print("Required field: \(field.name) (type: \(field.fieldType))")
                }
            }

        } catch {
            print("Failed to get payment options: \(error)")
        }

        // The reader's own: the guide goes on with the response of the block above.
        let response = try await WalletConnectPay.instance.getPaymentOptions(
            paymentLink: paymentLink,
            accounts: accounts
        )
        let selectedOption = response.options[0]

        // Standalone 10
        let actions = try await WalletConnectPay.instance.getRequiredPaymentActions(
            paymentId: response.paymentId,
            optionId: selectedOption.id
        )

        // Standalone 11
        var signatures: [String] = []

        for action in actions {
            let rpc = action.walletRpc

            // rpc.chainId - The chain to sign on (e.g., "eip155:8453")
            // rpc.method  - "eth_signTypedData_v4"
            // rpc.params  - JSON string: ["address", "{...typed data...}"]

            // Parse the params to extract typed data
            let paramsData = rpc.params.data(using: .utf8)!
            let params = try JSONSerialization.jsonObject(with: paramsData) as! [Any]
            let typedDataJson = params[1] as! String

            // Sign using your wallet's existing EIP-712 signing implementation
            let signature = try await yourWallet.signTypedData(
                typedData: typedDataJson,
                address: walletAddress,
                chainId: rpc.chainId
            )

            signatures.append(signature)
        }

        // Standalone 12
        var collectedData: [CollectDataFieldResult]? = nil

        if let collectDataAction = response.collectData {
            collectedData = []

            for field in collectDataAction.fields {
                // Show appropriate UI based on field.fieldType
                let value: String

                switch field.fieldType {
                case .text:
                    // Show text input for name fields
                    value = userInputtedValue
                case .date:
                    // Show date picker for date of birth
                    // Format: "YYYY-MM-DD"
                    value = "1990-01-15"
                }

                collectedData?.append(CollectDataFieldResult(
                    id: field.id,
                    value: value
                ))
            }
        }

        // Standalone 13
        let result = try await WalletConnectPay.instance.confirmPayment(
            paymentId: response.paymentId,
            optionId: selectedOption.id,
            signatures: signatures,
            collectedData: collectedData,
            maxPollMs: 60000  // Wait up to 60 seconds for confirmation
        )

        switch result.status {
        case .succeeded:
            print("Payment successful!")
        case .processing:
            print("Payment is being processed...")
        case .failed:
            print("Payment failed")
        case .expired:
            print("Payment expired")
        case .requiresAction:
            print("Additional action required")
        }
    }

    // MARK: Deep links and QR codes

    @MainActor final class Delegate {
        // Standalone 24
        // In SceneDelegate or AppDelegate
        func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
            guard let url = URLContexts.first?.url else { return }

            // Use isPaymentLink for reliable detection
            if WalletKit.isPaymentLink(url.absoluteString) {
                startPaymentFlow(paymentLink: url.absoluteString)
            }
        }

        // Standalone 25
        func handleScannedQR(_ content: String) {
            if WalletKit.isPaymentLink(content) {
                // WalletConnect Pay QR code
                startPaymentFlow(paymentLink: content)
            }
        }
    }
}
