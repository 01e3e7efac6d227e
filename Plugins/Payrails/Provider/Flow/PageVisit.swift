import PaymentCore

/// A payer's visit to a page, with concurrent polling for the report of the payment: the page may never lead back, or
/// the payer may finish elsewhere.
struct PageVisit: Sendable {
    /// The end of a visit.
    enum Event: Sendable {
        /// The payer left the page, by this URL or by closing it.
        case left(PaymentLink?)
        /// The page could not be shown; the type of the error.
        case notShown(String)
        /// The service reported a report; the page has to be closed.
        case ending(ExecutionPoll.Ending)
        /// Polling failed with an error.
        case abandoned(PayrailsError)
    }

    let page: PageRequest
    let show: @Sendable (PageRequest) async throws -> PaymentLink?

    /// Shows the page and polls the execution at `url`, until the first of the two has a result.
    func run(besides poll: ExecutionPoll, of url: String) async -> Event {
        await withTaskGroup(of: Event.self) { group in
            group.addTask {
                do { return .left(try await show(page)) } catch { return .notShown("\(type(of: error))") }
            }
            group.addTask {
                do throws(PayrailsError) {
                    return .ending(try await poll.ending(of: url, knowsPending: false))
                } catch {
                    return .abandoned(error)
                }
            }
            defer { group.cancelAll() }
            var latest = Event.abandoned(.unknown(error: nil))
            for await event in group {
                latest = event
                // A failed poll does not close the page; a refused token does.
                if case .abandoned(let error) = event, !error.isAuthentication { continue }
                break
            }
            return latest
        }
    }
}

extension PayrailsError {
    var isAuthentication: Bool { if case .authenticationError = self { true } else { false } }
}
