package import PaymentCore

extension HTTPURL {
    /// Returns true if a page at this address may be shown to a payer whom `service` sends to it: an encrypted one
    /// anywhere else, and one on this machine only when the service is on this machine too. A service elsewhere that
    /// leads to this machine targets the programs that listen here.
    ///
    /// - Parameter service: the service that sends the payer there.
    package func mayBeOpened(by service: HTTPURL) -> Bool {
        leadsToThisMachine ? service.isLoopback : isSecure
    }
}
