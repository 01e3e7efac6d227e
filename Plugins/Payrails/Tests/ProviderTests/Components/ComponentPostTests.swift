import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The input of the page's server: the table at ``CheckoutPost``.
@Suite struct ComponentPostTests {
    static let bodies: [(String, CheckoutAction?, Int?)] = [
        ("token=t&action=pay&attempt=3&instrument=c+1%2F&pay=c%201/", .payStored("c 1/"), 3),
        ("token=t&action=pay&attempt=3&instrument=c1&pay=c2", .payOther, 3),
        ("token=t&action=pay&attempt=3&instrument=c1&pay=", .payOther, 3),
        ("token=t&action=pay&attempt=3&instrument=c1", .payOther, 3),
        ("token=t&action=pay&attempt=3&pay=c1", .payOther, 3),
        ("token=t&action=pay&instrument=c1&pay=c1", nil, nil),
        ("token=t&action=pay&attempt=x&instrument=c1&pay=c1", nil, nil),
        ("token=t&action=pay&attempt=99999999999999999999&instrument=c1&pay=c1", nil, nil),
        ("action=pay&attempt=3&instrument=c1&pay=c1", nil, nil),
        (
            "token=t&action=pay-card&attempt=1&card_number=4242+4242&security_code=123&save_instrument=on&other=1",
            .payCard(fields: Redacted([.CARD_NUMBER: "4242 4242", .CVV: "123"]), save: true), 1
        ),
        (
            "token=t&action=pay-card&attempt=1&encrypted_card=a.b.c.d.e&card_number=1",
            .payEncryptedCard("a.b.c.d.e", save: false), 1
        ),
        ("token=t&action=pay-elsewhere&attempt=2&method=payPal", .payElsewhere(.payPal), 2),
        ("token=t&action=pay-elsewhere&attempt=2&method=barter", nil, nil),
        ("token=t&action=pay-elsewhere&method=payPal", nil, nil), ("token=t&action=pay-elsewhere&attempt=2", nil, nil),
        ("token=t&action=pay-card", nil, nil), ("token=t&action=delete&instrument=c1", .askDeletion("c1"), nil),
        ("token=t&action=delete&instrument=", nil, nil),
        ("token=t&action=delete-confirm&instrument=c1", .delete("c1"), nil),
        ("token=t&action=delete-confirm", nil, nil), ("token=t&action=delete-cancel", .keep, nil),
        ("token=t&action=leave", .leaveChallenge, nil), ("token=t&action=refund", nil, nil), ("token=t", nil, nil),
        ("", nil, nil),
        // Named twice, broken escapes.
        ("token=t&action=delete&instrument=c1&instrument=c2", nil, nil), ("token=t&action=leave&x=%zz", nil, nil),
    ]

    @Test("A body is read as the table says", arguments: bodies.indices)
    func bodyIsRead(_ index: Int) {
        let (body, action, attempt) = Self.bodies[index]
        let post = CheckoutPost(body: Array(body.utf8))
        #expect(post?.action == action)
        #expect(post?.attempt == attempt)
    }

    @Test("Bodies that are no text or too long are refused")
    func strangeBodiesAreRefused() {
        #expect(CheckoutPost(body: [0xFF, 0xFE]) == nil)
        let long = "token=t&action=leave&x=" + String(repeating: "a", count: CheckoutPost.maximumLength)
        #expect(CheckoutPost(body: Array(long.utf8)) == nil)
    }

    @Test("The token ties a request to the session")
    func tokenTiesToTheSession() throws {
        let post = try #require(CheckoutPost(body: Array("token=t%201&action=leave".utf8)))
        #expect(post.isFrom(Redacted("t 1")) && !post.isFrom(Redacted("t 2")) && !post.isFrom(Redacted("")))
    }

    @Test("What is read prints no card")
    func whatIsReadPrintsNoCard() throws {
        let body = "token=secret-token&action=pay-card&attempt=1&card_number=4242424242424242&security_code=987"
        let post = try #require(CheckoutPost(body: Array(body.utf8)))
        var text = "\(post)"
        dump(post, to: &text)
        for secret in ["4242", "987", "secret-token"] { #expect(!text.contains(secret)) }
    }
}
