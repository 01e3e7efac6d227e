/// The expected cells: the statement and the moved amount at once, the same a minute later when asked again, and the
/// payment's status then. Amounts are minor units, those of several movements joined; a cancellation counts 1.
enum MerchantTable {
    /// The cells by their names.
    static let cells: [String: String] = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts[1].dropFirst()))
        })

    private static let text = """
        citcon capture, none: done 1250 | done 1250 | paid
        citcon capture, request lost: open 0 | done 1250 | paid
        citcon capture, answer lost: done 1250 | done 1250 | paid
        citcon capture, status late: open 1250 | done 1250 | paid
        citcon capture, fails: refused 0 | done 1250 | paid
        citcon capture, other server: done 1250 | done 1250 | paid
        citcon capture, other amount: open 625 | open 625 | paid
        citcon capture, second server: done 1250 | done 1250 | paid
        citcon capture, late message: done 1250 | done 1250 | paid
        citcon capture, replayed message: done 1250 | done 1250 | paid
        citcon cancel, none: done 1 | done 1 | done
        citcon cancel, request lost: open 0 | done 1 | done
        citcon cancel, answer lost: done 1 | done 1 | done
        citcon cancel, status late: open 1 | done 1 | done
        citcon cancel, fails: open 0 | done 1 | done
        citcon cancel, other server: done 1 | done 1 | done
        citcon cancel, other amount: paid 0 | paid 0 | paid
        citcon cancel, second server: done 1 | done 1 | done
        citcon cancel, late message: done 1 | done 1 | done
        citcon cancel, replayed message: done 1 | done 1 | done
        citcon refund, none: done 625 | done 625 | paid
        citcon refund, request lost: open 0 | done 625 | paid
        citcon refund, answer lost: done 625 | done 625 | paid
        citcon refund, status late: done 625 | done 625 | paid
        citcon refund, fails: denied 0 | done 625 | paid
        citcon refund, other server: done 625 | done 625 | paid
        citcon refund, other amount: open 312 | open 312 | paid
        citcon refund, second server: done 625 | done 625 | paid
        citcon refund, late message: done 625 | done 625 | paid
        citcon refund, replayed message: done 625 | done 625 | paid
        payrails capture, none: done 9900 | done 9900 | paid
        payrails capture, request lost: open 0 | done 9900 | paid
        payrails capture, answer lost: done 9900 | done 9900 | paid
        payrails capture, status late: open 0 | done 9900 | paid
        payrails capture, fails: denied 0 | done 9900 | paid
        payrails capture, other server: done 9900 | done 9900 | paid
        payrails capture, other amount: open 4950 | open 4950 | paid
        payrails capture, second server: done 9900 | refused 9900 | paid
        payrails capture, late message: done 9900 | done 9900 | paid
        payrails capture, replayed message: done 9900 | done 9900 | paid
        payrails cancel, none: done 1 | done 1 | done
        payrails cancel, request lost: open 0 | done 1 | done
        payrails cancel, answer lost: open 0 | done 1 | done
        payrails cancel, status late: open 0 | done 1 | done
        payrails cancel, fails: open 0 | done 1 | done
        payrails cancel, other server: done 1 | done 1 | done
        payrails cancel, other amount: done 1 | done 1 | done
        payrails cancel, second server: done 1 | done 1 | done
        payrails cancel, late message: done 1 | done 1 | done
        payrails cancel, replayed message: done 1 | done 1 | done
        payrails refund, none: done 4950 | done 4950 | paid
        payrails refund, request lost: open 0 | done 4950 | paid
        payrails refund, answer lost: open 4950 | done 4950 | paid
        payrails refund, status late: open 0 | done 4950 | paid
        payrails refund, fails: denied 0 | done 4950 | paid
        payrails refund, other server: done 4950 | done 4950 | paid
        payrails refund, other amount: open 2475+4950 | open 2475+4950 | paid
        payrails refund, second server: done 4950 | open 4950 | paid
        payrails refund, late message: done 4950 | done 4950 | paid
        payrails refund, replayed message: done 4950 | done 4950 | paid
        walletConnectPay cancel, none: done 1 | done 1 | done
        walletConnectPay cancel, request lost: open 0 | done 1 | done
        walletConnectPay cancel, answer lost: done 1 | done 1 | done
        walletConnectPay cancel, status late: open 1 | done 1 | done
        walletConnectPay cancel, fails: refused 0 | done 1 | done
        walletConnectPay cancel, other server: done 1 | done 1 | done
        walletConnectPay cancel, other amount: done 1 | done 1 | done
        walletConnectPay cancel, second server: done 1 | done 1 | done
        walletConnectPay cancel, late message: done 1 | done 1 | done
        walletConnectPay cancel, replayed message: done 1 | done 1 | done
        walletConnectPay refund, none: done 1250 | done 1250 | refunded
        walletConnectPay refund, request lost: open 0 | done 1250 | refunded
        walletConnectPay refund, answer lost: open 1250 | done 1250 | refunded
        walletConnectPay refund, status late: done 1250 | done 1250 | refunded
        walletConnectPay refund, fails: denied 0 | done 1250 | refunded
        walletConnectPay refund, other server: done 1250 | done 1250 | refunded
        walletConnectPay refund, other amount: done 1250 | done 1250 | refunded
        walletConnectPay refund, second server: done 1250 | done 1250 | refunded
        walletConnectPay refund, late message: done 1250 | done 1250 | refunded
        walletConnectPay refund, replayed message: done 1250 | done 1250 | refunded
        """
}
