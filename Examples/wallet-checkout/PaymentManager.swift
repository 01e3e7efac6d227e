import WalletConnectPayKit

/// The complete example of the vendor's guides, and their lines that show merchant and options.
///
/// The two guides write the same calls: one of `WalletConnectPay.instance`, the other of `WalletKit.instance.Pay`.
class PaymentManager {
    let pay: PayClient

    init(_ pay: PayClient) { self.pay = pay }

    func processPayment(
        paymentLink: String,
        walletAddress: String,
        signer: any YourSignerProtocol
    ) async throws {

        // 1. Get payment options
        let accounts = [
            "eip155:1:\(walletAddress)",
            "eip155:137:\(walletAddress)",
            "eip155:8453:\(walletAddress)",
        ]

        let optionsResponse = try await pay.getPaymentOptions(
            paymentLink: paymentLink,
            accounts: accounts
        )

        // Display merchant info
        if let info = optionsResponse.info {
            print("  Merchant: \(info.merchant.name)")
            print("  Amount: \(info.amount.display.assetSymbol) \(info.amount.value)")
        }

        // Show available payment options to user
        for option in optionsResponse.options {
            print(
                "  Pay with \(option.amount.display.assetSymbol) on \(option.amount.display.networkName ?? "Unknown")")
        }

        guard !optionsResponse.options.isEmpty else {
            throw PaymentError.noOptionsAvailable
        }

        // 2. Let user select an option (simplified - use first option)
        let selectedOption = optionsResponse.options[0]

        // 3. Get required actions
        let actions = try await pay.getRequiredPaymentActions(
            paymentId: optionsResponse.paymentId,
            optionId: selectedOption.id
        )

        // Not in the guides: the effects of the actions, for the user to check before anything is signed. Actions with
        // another effect than paying the selected option were withheld.
        show(
            pay.signingReview(
                paymentId: optionsResponse.paymentId,
                optionId: selectedOption.id
            ))

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

        // 5. Collect user data if required
        var collectedData: [CollectDataFieldResult]? = nil
        if let collectData = optionsResponse.collectData {
            collectedData = try await collectUserData(fields: collectData.fields)
        }

        // 6. Confirm payment
        let result = try await pay.confirmPayment(
            paymentId: optionsResponse.paymentId,
            optionId: selectedOption.id,
            signatures: signatures,
            collectedData: collectedData
        )

        guard result.status == .succeeded else {
            throw PaymentError.paymentFailed(result.status)
        }
    }

    private func signTypedData(
        action: Action,
        walletAddress: String,
        signer: any YourSignerProtocol
    ) async throws -> String {
        let rpc = action.walletRpc

        // Parse params: ["address", "typedDataJson"]
        guard let paramsData = rpc.params.data(using: .utf8),
            let params = try JSONSerialization.jsonObject(with: paramsData) as? [Any],
            params.count >= 2,
            let typedDataJson = params[1] as? String
        else {
            throw PaymentError.invalidParams
        }

        return try await signer.signTypedData(
            data: typedDataJson,
            address: walletAddress
        )
    }

    private func collectUserData(
        fields: [CollectDataField]
    ) async throws -> [CollectDataFieldResult] {
        return fields.map { field in
            CollectDataFieldResult(
                id: field.id,
                value: getUserInput(for: field)
            )
        }
    }
}
