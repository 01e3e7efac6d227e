// swift-format-ignore-file
// The code of the vendor's guide to WalletConnect Pay through WalletKit, as printed: only the import differs, and what
// the comments "reader's own" mark. It need not run; it must compile.

import WalletConnectPayKit

#if canImport(UIKit)
    import UIKit
#endif

/// The guide's blocks, in its order. Left out: the manifests, the first line of the configuration
/// (`didFinishLaunchingWithOptions...` is not Swift). The web view is in a separate file. A comment like the next one
/// says which of the guide's blocks follows.
enum WalletKitGuide {
    // MARK: Configuration

    static func configure() {
        // WalletKit 3
        // Configure WalletKit - Pay is automatically configured
        WalletKit.configure(
            metadata: AppMetadata(
                name: "My Wallet",
                description: "A crypto wallet",
                url: "https://mywallet.com",
                icons: ["https://mywallet.com/icon.png"]
            ),
            crypto: DefaultCryptoProvider(),
            payLogging: true // Enable Pay debug logging
        )
    }

    // MARK: Payment link detection

    static func detect(_ scannedString: String) {
        // WalletKit 4
        // Static method - can be called before configure()
        if WalletKit.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }
        // Or via the instance
        if WalletKit.instance.Pay.isPaymentLink(scannedString) {
            startPaymentFlow(paymentLink: scannedString)
        }
    }

    // MARK: Payment flow

    static func flow(paymentLink: String) async throws {
        // WalletKit 5
        // 1. Get payment options
        let options = try await WalletKit.instance.Pay.getPaymentOptions(
            paymentLink: paymentLink,
            accounts: ["eip155:1:\(address)", "eip155:137:\(address)"]
        )
        // Display merchant info
        if let info = options.info {
            print("Merchant: \(info.merchant.name)")
            print("Amount: \(info.amount.display.assetSymbol) \(info.amount.value)")
        }
        // Show available payment options to user
        for option in options.options {
            print("Pay with \(option.amount.display.assetSymbol) on \(option.amount.display.networkName ?? "Unknown")")
        }
        // Check which options require data collection
        for option in options.options {
            if option.collectData != nil {
                print("Option \(option.id) requires info capture")
            }
        }
        let selectedOption = options.options[0]  // The reader's own.
        // WalletKit 6
        // 2. Get required actions for selected option
        let actions = try await WalletKit.instance.Pay.getRequiredPaymentActions(
            paymentId: options.paymentId,
            optionId: selectedOption.id
        )
        // WalletKit 7
        // 3. Sign each action and collect signatures
        var signatures: [String] = []
        for action in actions {
            let signature = try await sign(action.walletRpc)
            signatures.append(signature)
        }
        // WalletKit 9
        // Check per-option data collection requirement after user selects an option
        if let collectData = selectedOption.collectData, let url = collectData.url {
            // Use the "required" list from collectData.schema to determine which fields to prefill
            let prefillData: [String: String] = [
                "fullName": "John Doe",
                "dob": "1990-01-15",
                "pobAddress": "123 Main St, New York, NY 10001"
            ]
            let jsonData = try JSONSerialization.data(withJSONObject: prefillData)
            let prefillBase64 = jsonData.base64EncodedString()
            var components = URLComponents(string: url)!
            var queryItems = components.queryItems ?? []
            queryItems.append(URLQueryItem(name: "prefill", value: prefillBase64))
            components.queryItems = queryItems
            let webViewUrl = components.string!
            // Show WebView for this specific option and wait for IC_COMPLETE message
            showWebView(url: webViewUrl)
        }
        let collectedData: [CollectDataFieldResult]? = nil  // The reader's own: the form hands it in by itself.
        // WalletKit 10
        // 4. Confirm payment
        let result = try await WalletKit.instance.Pay.confirmPayment(
            paymentId: options.paymentId,
            optionId: selectedOption.id,
            signatures: signatures,
            collectedData: collectedData
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

    final class Signing {
        // WalletKit 8
        private func signTypedData(
            action: Action,
            walletAddress: String,
            signer: YourSignerProtocol
        ) async throws -> String {
            let rpc = action.walletRpc
            // Parse params: ["address", "typedDataJson"]
            guard let paramsData = rpc.params.data(using: .utf8),
                let params = try JSONSerialization.jsonObject(with: paramsData) as? [Any],
                params.count >= 2,
                let typedDataJson = params[1] as? String else {
                throw PaymentError.invalidParams
            }
            return try await signer.signTypedData(
                data: typedDataJson,
                address: walletAddress
            )
        }
    }

    // MARK: Complete example

    // WalletKit 12
    class PaymentManager {
        func processPayment(
            paymentLink: String,
            walletAddress: String,
            signer: YourSignerProtocol
        ) async throws {
            // 1. Get payment options
            let accounts = [
                "eip155:1:\(walletAddress)",
                "eip155:137:\(walletAddress)",
                "eip155:8453:\(walletAddress)"
            ]
            let optionsResponse = try await WalletKit.instance.Pay.getPaymentOptions(
                paymentLink: paymentLink,
                accounts: accounts
            )
            guard !optionsResponse.options.isEmpty else {
                throw PaymentError.noOptionsAvailable
            }
            // 2. Let user select an option (simplified - use first option)
            let selectedOption = optionsResponse.options[0]
            // 3. Get required actions
            let actions = try await WalletKit.instance.Pay.getRequiredPaymentActions(
                paymentId: optionsResponse.paymentId,
                optionId: selectedOption.id
            )
            // 4. Sign all actions
            var signatures: [String] = []
            for action in actions {
                let signature = try await signTypedData(
                    action: action,
                    walletAddress: walletAddress,
                    signer: signer
                )
                signatures.append(signature)
            }
            // 5. Collect data via WebView if required for selected option
            if let collectData = selectedOption.collectData, let url = collectData.url {
                try await showDataCollectionWebView(url: url)
            }
            // 6. Confirm payment
            let result = try await WalletKit.instance.Pay.confirmPayment(
                paymentId: optionsResponse.paymentId,
                optionId: selectedOption.id,
                signatures: signatures
            )
            guard result.status == .succeeded else {
                throw PaymentError.paymentFailed(result.status)
            }
        }
        private func signTypedData(
            action: Action,
            walletAddress: String,
            signer: YourSignerProtocol
        ) async throws -> String {
            let rpc = action.walletRpc
            // Parse params: ["address", "typedDataJson"]
            guard let paramsData = rpc.params.data(using: .utf8),
                let params = try JSONSerialization.jsonObject(with: paramsData) as? [Any],
                params.count >= 2,
                let typedDataJson = params[1] as? String else {
                throw PaymentError.invalidParams
            }
            return try await signer.signTypedData(
                data: typedDataJson,
                address: walletAddress
            )
        }
    }

    // MARK: Deep links and QR codes

    @MainActor final class Delegate {
        // WalletKit 13
        // In SceneDelegate or AppDelegate
        func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
            guard let url = URLContexts.first?.url else { return }
            // Use isPaymentLink for reliable detection
            if WalletKit.isPaymentLink(url.absoluteString) {
                startPaymentFlow(paymentLink: url.absoluteString)
            }
        }

        // WalletKit 14
        func handleScannedQR(_ content: String) {
            if WalletKit.isPaymentLink(content) {
                // WalletConnect Pay QR code
                startPaymentFlow(paymentLink: content)
            }
        }
    }
}
