import PaymentCore
import Testing

@testable import CitconSandbox

/// The states of a charge and their successors (Protocol 6.2).
@Suite struct CitconStatusTests {
    private typealias Status = CitconCharge.Status

    @Test("States follow each other as they may")
    func statesFollowEachOtherAsTheyMay() {
        let endings: Set<Status> = [.succeeded, .failed, .canceled, .expired]
        let allowed: [Status: Set<Status>] = [
            .initiated: endings.union([.pending, .authorized]), .pending: endings.union([.authorized]),
            .authorized: endings, .succeeded: [], .failed: [], .canceled: [], .expired: [],
        ]
        let all: [Status] = [.initiated, .pending, .authorized, .succeeded, .failed, .canceled, .expired]
        for (before, after) in allowed {
            #expect(Set(all.filter(before.allows)) == after, "\(before)")
            #expect(before.isFinal == after.isEmpty)
        }
    }

    /// Compact, and members in the order given.
    @Test("Answers keep their order")
    func answersKeepTheirOrder() {
        let json: WireJSON = ["b": 1, "a": ["z": nil, "y": [["x": "\"\n"], []]], "": [:]]
        #expect(json.text == #"{"b":1,"a":{"z":null,"y":[{"x":"\"\n"},[]]},"":{}}"#)
    }

    /// The length in hexadecimal, and the hash of RFC 3174's second example in base64.
    @Test("Entity tags follow from the body")
    func entityTagsFollowFromTheBody() {
        let body = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(CitconEnvelope.entityTag(of: body) == #"W/"38-hJg+RBw70m66rkqh+VEp5eVGcPE""#)
    }
}
