import PaykitSandbox
import PaymentCore
import Testing

@testable import PaykitProvider

/// Messages as BEP 5, 44 and Pubky's implementation write them.
@Suite("Messages of the DHT")
struct KRPCMessageTests {
    private let own = NodeID(Array(0..<20))!
    private let rust = Array("RS".utf8) + [0, 5]

    private func read(_ hex: String) throws -> KRPCMessage {
        try #require(Hex.decode(hex).flatMap { KRPCMessage($0) })
    }

    @Test("A question for an item is written byte for byte as Pubky's")
    func get() throws {
        let hex =
            "64313a6164323a696432303a000102030405060708090a0b0c0d0e0f10111213363a74617267657432303ad58eadfc5cf35b18c0ef"
            + "dded82ad20ee5a6485a465313a71333a676574323a726f693165313a74343a00000001313a76343a52530005313a79313a7165"
        let target = try Packets.user.item.target
        let message = KRPCMessage(
            transaction: [0, 0, 0, 1], version: rust, isReadOnly: true,
            .query(.get(id: own, target: target, newerThan: nil)))
        #expect(Hex.encode(message.encoded) == hex)
        #expect(try read(hex) == message)
    }

    @Test("So is a request to store, with a Pubky packet")
    func put() throws {
        let hex =
            "64313a6164323a696432303a000102030405060708090a0b0c0d0e0f10111213313a6b33323ad04ab232742bb4ab3a1368bd4615e4"
            + "e6d0224ab71a016baf8520a332c9778737333a736571693137363732323536303030303030303065333a73696736343ad710e724"
            + "ebc2c458424b64b2f2852e5de50acf5c3fc010cbc3f99c28d875068f6d0e7f015564a59ae56e7631edc5a0900a883533ad3d7cf4"
            + "ea048c534236e107363a74617267657432303ad58eadfc5cf35b18c0efdded82ad20ee5a6485a4353a746f6b656e343a01020304"
            + "313a763133393a000080000000000100000000065f7075626b79343462666d726375776671346b73716f75706e36776366787268"
            + "35656e7231697a646579737a6d6866726e747566316d7a6f68356f000041000100000e100038000034776e706b6d376434633763"
            + "61796d39336b7a6870616d6a6b6e31316875386a647a346d396f337931783968756f706e69777561790065313a71333a70757432"
            + "3a726f693165313a74343a00000002313a76343a52530005313a79313a7165"
        let put = KRPCPut(id: own, token: [1, 2, 3, 4], item: KRPCItem(try Packets.user.item))
        let message = KRPCMessage(transaction: [0, 0, 0, 2], version: rust, isReadOnly: true, .query(.put(put)))
        #expect(Hex.encode(message.encoded) == hex)
        #expect(try read(hex) == message)
    }

    @Test("The first question that a client of Pubky's was seen to send is understood")
    func captured() throws {
        let id = String(repeating: "ab", count: 20)
        let message = try read(
            "64313a6164323a696432303a" + id + "363a74617267657432303a" + id
                + "65313a71393a66696e645f6e6f6465323a726f693165313a74343a00000000313a76343a52530005313a79313a7165")
        let node = try #require(Hex.decode(id).flatMap { NodeID($0) })
        #expect(message.body == .query(.findNode(id: node, target: node)))
        #expect(message.transaction == [0, 0, 0, 0] && message.isReadOnly)
    }

    @Test("The examples of BEP 5 are understood, whatever the length of their transactions")
    func standard() throws {
        func parse(_ text: String) -> KRPCMessage? { KRPCMessage(Array(text.utf8)) }
        let node = NodeID(Array("abcdefghij0123456789".utf8))!
        let target = NodeID(Array("mnopqrstuvwxyz123456".utf8))!
        #expect(parse("d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe")?.body == .query(.ping(id: node)))
        #expect(
            parse("d1:ad2:id20:abcdefghij01234567896:target20:mnopqrstuvwxyz123456e1:q9:find_node1:t2:aa1:y1:qe")?.body
                == .query(.findNode(id: node, target: target)))
        #expect(
            parse("d1:eli201e23:A Generic Error Ocurrede1:t2:aa1:y1:ee")?.body
                == .error(KRPCError(code: 201, text: "A Generic Error Ocurred")))
        #expect(
            parse("d1:rd2:id20:mnopqrstuvwxyz123456e1:t2:aa1:y1:re")?.body
                == .response(KRPCResponse(id: target)))
        for length in [1, 2, 4, 20, 32] {
            let transaction = String(repeating: "x", count: length)
            let message = parse("d1:rd2:id20:mnopqrstuvwxyz123456e1:t\(length):\(transaction)1:y1:re")
            #expect(message?.transaction == Array(transaction.utf8))
        }
        #expect(parse("d1:rd2:id20:mnopqrstuvwxyz123456e1:t0:1:y1:re") == nil)
        #expect(parse("d1:rd2:id20:mnopqrstuvwxyz123456e1:t33:\(String(repeating: "x", count: 33))1:y1:re") == nil)
    }

    @Test("Answers come out as they went in")
    func answers() throws {
        let item = KRPCItem(try Packets.user.item)
        let contact = NodeContact(id: own, address: DatagramAddress(192, 0, 2, 7, port: 6881))
        for response in [
            KRPCResponse(id: own), KRPCResponse(id: own, nodes: [], token: [1]),
            KRPCResponse(id: own, nodes: [contact, contact], token: [1, 2], item: item),
            KRPCResponse(id: own, token: [1], sequence: -3),
        ] {
            let message = KRPCMessage(
                transaction: [7, 8], seenAt: DatagramAddress(203, 0, 113, 9, port: 1), .response(response))
            #expect(KRPCMessage(message.encoded) == message)
        }
        for error in [KRPCError.mismatch, .protocolError, .saltTooLarge, .sequenceTooLow, .signature, .valueTooLarge] {
            let message = KRPCMessage(transaction: [7, 8], .error(error))
            #expect(KRPCMessage(message.encoded) == message)
        }
    }

    @Test("A question that lacks something can be refused; what is no message cannot")
    func broken() throws {
        func parse(_ text: String) -> KRPCMessage.Body? { KRPCMessage(Array(text.utf8))?.body }
        #expect(parse("d1:ade1:q3:get1:t2:aa1:y1:qe") == .query(.invalid("get", "id")))
        #expect(parse("d1:q4:ping1:t2:aa1:y1:qe") == .query(.invalid("ping", "id")))
        #expect(
            parse("d1:ad2:id20:abcdefghij01234567896:target3:abce1:q3:get1:t2:aa1:y1:qe")
                == .query(.invalid("get", "target")))
        #expect(parse("d1:ade1:q4:vote1:t2:aa1:y1:qe") == .query(.unknown("vote")))
        for text in [
            "", "de", "i1e", "d1:t2:aae", "d1:t2:aa1:y1:xe", "d1:t2:aa1:y1:qe", "d1:t2:aa1:y1:re",
            "d1:rde1:t2:aa1:y1:re",
            "d1:rd2:id3:abce1:t2:aa1:y1:re", "d1:t2:aa1:y1:ee", "d1:ele1:t2:aa1:y1:ee", "d1:el1:ae1:t2:aa1:y1:ee",
            "d1:rd2:id20:mnopqrstuvwxyz123456e1:ti1e1:y1:re", "d1:rd2:id20:mnopqrstuvwxyz123456e1:t2:aa1:yi1ee",
        ] { #expect(parse(text) == nil, "\(text)") }
    }

    @Test("Parts of another kind than they should be are passed over")
    func loose() throws {
        let message = KRPCMessage(
            Array(
                "d1:rd2:id20:mnopqrstuvwxyz1234565:nodes3:abc5:tokeni1e1:vd1:ai1eee2:ip2:xx2:roi7e1:t2:aa1:vi1e1:y1:re"
                    .utf8))
        guard case .response(let response)? = message?.body else {
            Issue.record("no answer")
            return
        }
        #expect(response.nodes == nil && response.token == nil && response.item == nil && response.hasForeignValue)
        #expect(message?.isReadOnly == false && message?.seenAt == nil && message?.version == nil)
    }
}
