import PaymentCore
import PaymentCrypto

/// A call that signs a transaction of Solana: one transfer, and what may go with it.
struct SolanaCall {
    private let option: CheckedOption
    private let transaction: SolanaTransaction
    private let payer: [UInt8]
    private let index: Int
    private let member: String

    init(_ call: WalletCall, _ option: CheckedOption) throws(SigningError) {
        let list = call.params.array
        let object = list.map { $0.count == 1 ? $0[0] : .null } ?? call.params
        guard let members = object.object, Set(members.keys) == ["transaction"],
            let text = members["transaction"]?.string
        else {
            throw SigningError(.paramsShape, call.member(""), "a signature takes exactly one transaction")
        }
        guard let payer = Base58.decode(option.account.address), payer.count == 32 else {
            throw SigningError(.optionAccount, "/option/account", "the account is not one of Solana's")
        }
        self.option = option
        self.payer = payer
        index = call.index
        member = call.member(list == nil ? "/transaction" : "/0/transaction")
        transaction = try SolanaTransaction(base64: text, at: member)
    }

    func review(_ findings: inout Findings) throws(SigningError) {
        try checkSigners()
        var parts = SolanaParts(option: option, payer: payer, signers: transaction.signers, member: member)
        for (position, instruction) in transaction.instructions.enumerated() {
            try parts.add(instruction, isFirst: position == 0)
        }
        let transfer = try parts.checkedTransfer()
        let sponsor = transaction.signers.first == payer ? nil : transaction.signers.first
        let fee = try parts.checkedFee(signatures: transaction.signatures.count)
        if let creation = parts.creation {
            findings.addTokenAccount(
                of: Base58.encode(creation.wallet), isPaidByPayer: creation.funder == payer, index)
        }
        findings.addSolanaTransfer(
            to: Base58.encode(transfer.owner), isOwner: transfer.isOwner, fee: fee,
            sponsor: sponsor.map { Base58.encode($0) }, index)
    }

    /// Checks that the payer signs, and before them at most one sponsor of the fee.
    private func checkSigners() throws(SigningError) {
        let refusal = SigningError(
            .solanaSigners, member, "a signer other than the payer and one sponsor of the fee is required")
        guard (1...2).contains(transaction.signers.count), transaction.signers.last == payer else { throw refusal }
        guard transaction.signatures.last?.allSatisfy({ $0 == 0 }) == true else {
            throw SigningError(.solanaSigners, member, "the place of the payer's signature is taken")
        }
    }
}
