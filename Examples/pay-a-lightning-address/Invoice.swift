/// An invoice of the payee's node (BOLT 11), and the proof of payment that this node reveals when it is paid.
///
/// These are on regtest, where coins are worth nothing, and valid for a hundred years. They are signed with the private
/// key of the examples in BOLT 11, and carry the hash of ``AddressService/metadata``.
struct Invoice {
    let text: String
    /// 32 bytes in hexadecimal digits: the SHA-256 hash of the bytes is the payment hash.
    let preimage: String

    /// Two over 21 satoshi.
    static let asked = [
        Invoice(
            text: "lnbcrt210n1p54twgqpp5qmuselvkjjmj7765emqkp2l6wljxqlejpmfpfr7ftrzn7fclx2cssp5ry3lxgmnj50mgnfvkjvyz6yh"
                + "ng8vsfxzphc67cv46uustesh7dfshp5egarw4xx5rag3zmtvc776fj24ctqn328zd2zajwwtlzalr5hdnzsxq8zals8sqcqzpg9q"
                + "rsgq6am07kfamfrfggmzna4duhljuhvvn42my26clhw40zugrg7du7tqckkrt9qd3re55z9pn4phquvhkngxrl7j9xjexz5ccjnu"
                + "57y2e9gpqje6aq",
            preimage: "3f30d2b5f8c581f4eab4ddaeadb8761d6b14fde7065effd8505e29295dd3f140"),
        Invoice(
            text: "lnbcrt210n1p54twgqpp5hwqk74fzjl5lgatnmcze8k8wrhndmc50yt65wj5dkvtt5m3umeuqsp5cuttuxm2akp2ue0kh5m94qx5"
                + "jv3xqf44gt8gga6yahprzjlz5w9shp5egarw4xx5rag3zmtvc776fj24ctqn328zd2zajwwtlzalr5hdnzsxq8zals8sqcqzpg9q"
                + "rsgq8z54zy7euca609kv0nxc6r7cgfh4hyuh6qa3e3mrf934svaqjyvh0mjf40ujupn99ezs9e8jf0v9fs0gjvcs7kygc6pyhgck"
                + "g6hm9tqqcteylx",
            preimage: "fb6e1693cb40866ca88160441b5564f2910447b851e043b70bbd6d58eab03654"),
    ]

    /// One over 22 satoshi.
    static let tooHigh =
        Invoice(
            text: "lnbcrt220n1p54twgqpp5zyteqtkkdtvzw389l8xxpevaf92g5f7wy8xchunxpxvrfcuqpanssp5ytqna9k34306ndkejjn80lld"
                + "78vr9uumuhf7kfq3rstvu9m2g4xshp5egarw4xx5rag3zmtvc776fj24ctqn328zd2zajwwtlzalr5hdnzsxq8zals8sqcqzpg9q"
                + "rsgq702tm2sweu4pg8a5d0yq794wwn5agtrpleyc68g9hhpmh57d8gnkdsdvnwewz5ctx8vj56czq4nj6jkdtrfctwpm6ly6k3cs"
                + "aq5dnfcpd8as4y",
            preimage: "d5ad80a74690cc736e1038bbfd06d6c6299f8261d2be9355a2d9b680f42acbcd")

    static let all = asked + [tooHigh]
}
