import CitconProvider

extension CPayResult {
    /// An answer of the service, as it is.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayResultData(transaction: answer.transaction))
    }
}

extension CPayCheck {
    /// An answer of the service, as it is.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayCheckData(transaction: answer.transaction))
    }
}
