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

// MARK: - Instructions

/// The instructions of a payment on Solana, read one by one; anything that is not part of a payment is refused.
struct SolanaParts {
    struct Creation {
        let funder: [UInt8]
        let account: [UInt8]
        let wallet: [UInt8]
    }

    private struct Transfer {
        let amount: UInt64
        let destination: [UInt8]
    }

    /// 0.001 SOL in lamports: far more than any payment's fee.
    private static let highestFee: UInt128 = 1_000_000
    private static let feeOfSignature: UInt128 = 5000
    private static let longestMemo = 256

    let option: CheckedOption
    let payer: [UInt8]
    let signers: [[UInt8]]
    let member: String

    private(set) var creation: Creation?
    private var transfers: [Transfer] = []
    private var unitLimit: UInt64?
    private var unitPrice: UInt64?
    private var others: UInt128 = 0

    init(option: CheckedOption, payer: [UInt8], signers: [[UInt8]], member: String) {
        self.option = option
        self.payer = payer
        self.signers = signers
        self.member = member
    }

    mutating func add(_ instruction: SolanaTransaction.Instruction, isFirst: Bool) throws(SigningError) {
        guard let program = SolanaProgram(key: instruction.program) else {
            throw refusal(.solanaProgram, "a program is called that payments do not need")
        }
        if program != .computeBudget { others += 1 }
        switch program {
        case .computeBudget: try addBudget(instruction)
        case .associatedToken: try addCreation(instruction)
        case .token, .token2022: try addTokenTransfer(instruction, program)
        case .system: try addCoinTransfer(instruction, isFirst: isFirst)
        case .memo, .firstMemo: try checkMemo(instruction)
        }
    }

    // MARK: Instructions

    private mutating func addBudget(_ instruction: SolanaTransaction.Instruction) throws(SigningError) {
        let number = ByteReader.littleEndian(instruction.data.dropFirst().prefix(8))
        switch (instruction.data.first, instruction.data.count) {
        case (2, 5) where unitLimit == nil: unitLimit = number
        case (3, 9) where unitPrice == nil: unitPrice = number
        default: throw unknownInstruction
        }
    }

    private mutating func addCreation(_ instruction: SolanaTransaction.Instruction) throws(SigningError) {
        guard case .splToken(let mint, _) = option.kind, creation == nil, [[], [0], [1]].contains(instruction.data),
            instruction.accounts.count == 6, instruction.accounts[4] == SolanaProgram.system.key
        else { throw unknownInstruction }
        let accounts = instruction.accounts
        let program = try tokenProgram(accounts[5])
        guard Base58.decode(mint) == accounts[3] else {
            throw refusal(.token, "a token account is opened for another token")
        }
        guard signers.contains(accounts[0]) else {
            throw refusal(.solanaSigners, "a token account is opened at a stranger's cost")
        }
        guard
            AssociatedTokenAccount.isAccount(accounts[1], of: accounts[2], mint: accounts[3], program: program.key)
        else { throw refusal(.solanaTokenAccount, "a token account is not the one of the wallet it is said to be of") }
        creation = Creation(funder: accounts[0], account: accounts[1], wallet: accounts[2])
    }

    private mutating func addTokenTransfer(
        _ instruction: SolanaTransaction.Instruction, _ program: SolanaProgram
    ) throws(SigningError) {
        guard instruction.data.first != 3 else {
            throw refusal(.solanaUncheckedTransfer, "a transfer does not say of which token")
        }
        guard case .splToken(let mint, _) = option.kind, instruction.data.first == 12, instruction.data.count == 10,
            instruction.accounts.count == 4
        else { throw unknownInstruction }
        _ = try tokenProgram(program.key)
        let (source, destination) = (instruction.accounts[0], instruction.accounts[2])
        let token = instruction.accounts[1]
        guard Base58.decode(mint) == token else { throw refusal(.token, "another token is transferred") }
        guard instruction.data[9] == option.decimals else {
            throw refusal(.displayDecimals, "the token has other decimal digits than it was shown with")
        }
        guard instruction.accounts[3] == payer,
            AssociatedTokenAccount.isAccount(source, of: payer, mint: token, program: program.key)
        else { throw refusal(.solanaSource, "the tokens do not come from the payer's own account for them") }
        guard destination != source, destination != token,
            !ReservedAddresses.contain(tokenAccount: destination, mint: token, program: program.key)
        else { throw unusableRecipient }
        transfers.append(
            Transfer(amount: ByteReader.littleEndian(instruction.data[1..<9]), destination: destination))
    }

    private mutating func addCoinTransfer(
        _ instruction: SolanaTransaction.Instruction, isFirst: Bool
    ) throws(SigningError) {
        let tag = instruction.data.count >= 4 ? ByteReader.littleEndian(instruction.data[..<4]) : nil
        if isFirst, tag == 4 {
            throw refusal(.solanaDurableNonce, "the signature would never expire")
        }
        guard option.kind == .coin, tag == 2, instruction.data.count == 12, instruction.accounts.count == 2 else {
            throw unknownInstruction
        }
        let (source, destination) = (instruction.accounts[0], instruction.accounts[1])
        guard source == payer else { throw refusal(.solanaSource, "the coins do not come from the payer") }
        guard destination != payer, !ReservedAddresses.contain(solana: destination) else { throw unusableRecipient }
        transfers.append(
            Transfer(amount: ByteReader.littleEndian(instruction.data[4..<12]), destination: destination))
    }

    private func checkMemo(_ instruction: SolanaTransaction.Instruction) throws(SigningError) {
        guard instruction.data.count <= Self.longestMemo, String(validating: instruction.data, as: UTF8.self) != nil,
            instruction.accounts.allSatisfy(signers.contains)
        else { throw unknownInstruction }
    }

    // MARK: The whole

    /// Returns the recipient: a wallet if the transaction proves it, otherwise the account that the tokens go to.
    func checkedTransfer() throws(SigningError) -> (owner: [UInt8], isOwner: Bool) {
        guard let transfer = transfers.first else {
            throw SigningError(.listNoPayment, "/calls", "nothing is paid")
        }
        guard transfers.count == 1 else { throw refusal(.listTwoPayments, "there are several transfers") }
        guard UInt256(UInt128(transfer.amount)) == option.amount else {
            throw refusal(.amount, "another amount is transferred")
        }
        if let creation {
            guard creation.account == transfer.destination else {
                throw refusal(.solanaTokenAccount, "a token account is opened that the payment does not go to")
            }
            guard creation.wallet != payer, !ReservedAddresses.contain(solana: creation.wallet) else {
                throw unusableRecipient
            }
            return (creation.wallet, true)
        }
        return (transfer.destination, option.kind == .coin)
    }

    /// Returns the most that the network takes, in lamports. The payer's own fee is bounded; a sponsor's fee is not.
    func checkedFee(signatures: Int) throws(SigningError) -> UInt128 {
        let units = unitLimit.map { UInt128($0) } ?? min(200_000 * others, 1_400_000)
        let priority = (units * UInt128(unitPrice ?? 0) + 999_999) / 1_000_000
        let fee = Self.feeOfSignature * UInt128(signatures) + priority
        guard fee <= Self.highestFee || signers.first != payer else {
            throw refusal(.solanaFee, "the fee that the payer would pay is out of all proportion")
        }
        return fee
    }

    /// The program `key`, when it keeps the option's token.
    private func tokenProgram(_ key: [UInt8]) throws(SigningError) -> SolanaProgram {
        guard let program = SolanaProgram(key: key), [.token, .token2022].contains(program) else {
            throw refusal(.solanaProgram, "a program is called that payments do not need")
        }
        if case .splToken(_, let known?) = option.kind, known != program.rawValue {
            throw refusal(.solanaProgram, "the token is kept by another program")
        }
        return program
    }

    private var unknownInstruction: SigningError {
        refusal(.solanaInstruction, "the transaction does something that is not part of a payment")
    }

    private var unusableRecipient: SigningError {
        refusal(.recipientInvalid, "the money would go to the payer, or to an account that cannot spend it")
    }

    private func refusal(_ code: SigningError.Code, _ reason: String) -> SigningError {
        SigningError(code, member, reason)
    }
}
