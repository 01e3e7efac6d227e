import PaymentCore

/// A list of calls whose shape is one of the accepted ones.
struct CallList {
    private enum Shape {
        case single(WalletCall)
        case approvalThenPermit(WalletCall, WalletCall)
    }

    private let shape: Shape

    init(_ calls: [JSONValue], of option: CheckedOption, letting unreviewed: Set<String>) throws(SigningError) {
        guard !calls.isEmpty else { throw SigningError(.listEmpty, "/calls", "there is nothing to sign") }
        var read: [WalletCall] = []
        for (index, call) in calls.enumerated() {
            read.append(try WalletCall(call, index: index, on: option.chainID, letting: unreviewed))
        }
        guard read.count <= 2 else {
            throw SigningError(.listTooLong, "/calls", "there are \(calls.count) calls; a payment has one or two")
        }
        guard let last = read.last, let first = read.first, read.count == 2 else {
            shape = .single(read[0])
            return
        }
        switch (first.method, last.method) {
        case (.sendTransaction, .signTypedData): shape = .approvalThenPermit(first, last)
        case (.signTypedData, .sendTransaction):
            throw SigningError(.listOrder, "/calls", "an approval comes after what needs it")
        default:
            throw SigningError(.listTwoPayments, "/calls", "one amount would be paid twice")
        }
    }

    func review(_ findings: inout Findings) throws(SigningError) {
        switch shape {
        case .single(let call): try Self.reviewPayment(call, &findings, approval: nil)
        case .approvalThenPermit(let approval, let permit):
            // Both are read before either is judged, so that the first violation in the order of the rules is named.
            let transaction = try TransactionCall(approval, findings.option)
            try Self.reviewPayment(permit, &findings, approval: transaction)
        }
    }

    private static func reviewPayment(
        _ call: WalletCall, _ findings: inout Findings, approval: TransactionCall?
    ) throws(SigningError) {
        switch call.method {
        case .signTypedData:
            let message = try TypedDataCall(call, findings.option).message(findings.deadline)
            if let approval {
                guard case .permit2 = message.kind else {
                    throw SigningError(
                        .approvalUnneeded, "/calls/0", "an approval is asked for that the payment does not need")
                }
                try approval.reviewApproval(&findings)
            }
            findings.add(message, call.index)
        case .sendTransaction:
            let transaction = try TransactionCall(call, findings.option)
            try transaction.reviewPayment(&findings)
        case .signSolanaTransaction: try SolanaCall(call, findings.option).review(&findings)
        case .unreviewed(let method): findings.addUnreviewed(method, call.index)
        }
    }
}
