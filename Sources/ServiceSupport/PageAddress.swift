package import PaymentCore

extension HTTPURL {
    /// Returns true if a page at this address may be shown to a payer that `service` sends there. A page elsewhere must
    /// be encrypted. A page on this machine may be shown only if the service is on this machine too: a service
    /// elsewhere that leads to this machine targets the programs that listen here.
    ///
    /// - Parameter service: the service that sends the payer there.
    package func mayBeOpened(by service: HTTPURL) -> Bool {
        leadsToThisMachine ? service.isLoopback : isSecure
    }
}
