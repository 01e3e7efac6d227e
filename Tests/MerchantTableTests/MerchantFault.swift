/// An event that meets one operation of a merchant.
enum MerchantFault: String, Sendable, CaseIterable {
    case none
    /// The request never arrives.
    case requestLost = "request lost"
    /// The answer never arrives.
    case answerLost = "answer lost"
    /// The effect shows half a minute later.
    case statusLate = "status late"
    /// The service does not carry it out.
    case fails
    /// Another server carries the same out between the question and the request.
    case otherServer = "other server"
    /// Another server carries it out over half the amount under the same id, or captures what is cancelled.
    case otherAmount = "other amount"
    /// Another server, with another journal, asks for the same afterwards.
    case secondServer = "second server"
    /// The notifications of the time before arrive afterwards.
    case lateMessage = "late message"
    /// Every notification arrives twice afterwards.
    case replayedMessage = "replayed message"
}
