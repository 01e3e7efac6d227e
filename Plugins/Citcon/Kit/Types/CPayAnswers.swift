import CitconProvider

extension CPayResult {
    /// Creates a result with an answer of the service, unchanged.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayResultData(transaction: answer.transaction))
    }
}

extension CPayCheck {
    /// Creates a result with an answer of the service, unchanged.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayCheckData(transaction: answer.transaction))
    }
}
